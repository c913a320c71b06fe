#!/usr/bin/env bash
# Runs a job on two hosts that are none: see --help.
set -euo pipefail

usage() {
  cat <<'HELP'
Usage: tests/mpi/two_hosts.sh [--rate RATE] [--delay MICROSECONDS DELAYER] MPIRUN ARGUMENT…

Two network namespaces with names of their own stand for two hosts, one slot each, that only a virtual
cable joins; MPIRUN (of Open MPI 4 or 5, or of MPICH) is started in the first of them and reaches the
other over TCP. Needs the rights of root. Nothing is left behind, however it ends.

  --rate RATE      the cable's bandwidth, as tc's tbf takes it (100mbit)
  --delay T EXE    the cable is EXE, a program that forwards frames after T microseconds
  --check          only says whether this machine can do it (exit code 77 if not)

The exit code is MPIRUN's; 77 where namespaces are not allowed.
HELP
}

rate="" delay="" check=false
while (($#)); do
  case "$1" in
    --rate) rate="$2"; shift 2 ;;
    --delay) delay="$2" delayer="$3"; shift 3 ;;
    --check) check=true; shift ;;
    --help | -h) usage; exit 0 ;;
    *) break ;;
  esac
done

one="tresse-$$-a" two="tresse-$$-b" job="" cable=""
work="$(mktemp -d)"
tidy() {
  local name
  trap - EXIT
  for name in "$one" "$two"; do
    # What is left in a namespace of ours was started by this script.
    ip netns pids "$name" 2>/dev/null | xargs -r kill -KILL 2>/dev/null || true
    ip netns del "$name" 2>/dev/null || true
    rm -rf "/etc/netns/$name"
  done
  if [[ -n "$cable" ]]; then kill "$cable" 2>/dev/null || true; fi
  rmdir /etc/netns 2>/dev/null || true
  rm -rf "$work"
}
trap tidy EXIT
# A launcher may not end its job when it is asked to; what is left then goes with the namespaces.
give_up() {
  local tries
  if [[ -n "$job" ]]; then
    kill -TERM "$job" 2>/dev/null || true
    for ((tries = 0; tries < 40; tries += 1)); do
      kill -0 "$job" 2>/dev/null || break
      sleep 0.1
    done
  fi
  exit 143
}
trap give_up TERM INT HUP

if ! { ip netns add "$one" && ip netns add "$two" && ip netns exec "$one" unshare --uts true; } \
  >"$work/said" 2>&1; then
  echo "this machine allows no network namespaces: $(head -n 1 "$work/said")" >&2
  exit 77
fi
if $check; then exit 0; fi

# --- the hosts and the cable --------------------------------------------------------------------

if [[ -n "$delay" ]]; then
  "$delayer" "$one" "$two" "$delay" >"$work/cable" 2>&1 &
  cable=$!
  # It says so when both ends are plugged in.
  until grep -q ready "$work/cable"; do
    kill -0 "$cable" 2>/dev/null || { cat "$work/cable" >&2; exit 1; }
    sleep 0.05
  done
else
  ip link add name v0 netns "$one" type veth peer name v0 netns "$two"
fi
address=1
for name in "$one" "$two"; do
  ip -n "$name" link set lo up
  ip -n "$name" addr add "10.77.0.$address/24" dev v0
  ip -n "$name" link set v0 up
  if [[ -n "$rate" ]]; then
    ip netns exec "$name" tc qdisc add dev v0 root tbf rate "$rate" burst 32kb latency 10ms
  fi
  # Bound over /etc/hosts in the namespace.
  # Another job that ends removes the folder above, if it is empty, perhaps just now.
  mkdir -p "/etc/netns/$name" 2>/dev/null || mkdir -p "/etc/netns/$name"
  printf '127.0.0.1 localhost\n10.77.0.1 %s\n10.77.0.2 %s\n' "$one" "$two" \
    >"/etc/netns/$name/hosts"
  address=$((address + 1))
done

# A network device takes its time to notice that both ends are up; UCX does not wait for it.
for name in "$one" "$two"; do
  for ((tries = 0; tries < 200; tries += 1)); do
    [[ "$(ip -n "$name" -br link show v0)" == *\ DOWN\ * ]] || break
    sleep 0.05
  done
done

# In place of ssh: [options] HOST COMMAND… With a host name of its own each namespace is another
# node for MPI.
cat >"$work/shell" <<'SHELL'
#!/usr/bin/env bash
while [[ "$1" == -* ]]; do shift; done
host="$1"
shift
exec ip netns exec "$host" unshare --uts -- bash -c 'hostname "$0"; exec bash -c "$1"' "$host" "$*"
SHELL
chmod +x "$work/shell"

# --- the launcher -------------------------------------------------------------------------------

mpirun="$1"
shift
version="$("$mpirun" --version 2>&1)"
case "$version" in
  *"Open MPI) 4"*)
    printf '%s slots=1\n' "$one" "$two" >"$work/hosts"
    options=(--hostfile "$work/hosts" --mca plm_rsh_agent "$work/shell" --mca oob_tcp_if_include v0
      --mca pml ob1 --mca btl "self,vader,tcp" --mca btl_tcp_if_include v0 --bind-to none) ;;
  *"Open MPI)"*)
    printf '%s slots=1\n' "$one" "$two" >"$work/hosts"
    options=(--hostfile "$work/hosts" --prtemca plm_ssh_agent "$work/shell"
      --prtemca prte_if_include v0 -x LD_LIBRARY_PATH --mca pml ob1 --mca btl "self,sm,tcp"
      --mca btl_tcp_if_include v0 --mca osc ^ucx --bind-to none) ;;
  *HYDRA*)
    printf '%s:1\n' "$one" "$two" >"$work/hosts"
    options=(-f "$work/hosts" -launcher rsh -launcher-exec "$work/shell" -iface v0
      -genv UCX_TLS "tcp,self" -genv UCX_NET_DEVICES v0) ;;
  *)
    echo "two_hosts.sh: $mpirun is of no MPI that it knows: ${version%%$'\n'*}" >&2
    exit 2 ;;
esac

# With a path: PATH may not be the same behind the shell.
mpirun="$(command -v "$mpirun")"
ip netns exec "$one" unshare --uts -- bash -c 'hostname "$0"; exec "$@"' "$one" \
  "$mpirun" "${options[@]}" "$@" &
job=$!
code=0
wait "$job" || code=$?
job=""
exit "$code"
