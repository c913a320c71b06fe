#!/usr/bin/env bash
# Solves on 4 nodes of two sockets with 18 cores each, one rank a node, one thread a core; goes on
# where it was, as a new job, when the time is over. Submit it with `qsub pbs.sh`.
#PBS -N tresse
#PBS -l select=4:ncpus=36:mpiprocs=1:ompthreads=36
#PBS -l place=scatter:excl
#PBS -l walltime=04:00:00
#PBS -j oe
set -euo pipefail

cd "${PBS_O_WORKDIR:-.}"
program="${TRESSE_MPI:-tresse-mpi}"
checkpoints=results/checkpoints
# The walltime above, less two minutes for a checkpoint.
seconds=$((4 * 3600 - 120))

# A job that follows another one goes on with its newest checkpoint.
resume=()
if compgen -G "$checkpoints/checkpoint-*/manifest.jsonl" >/dev/null; then
  resume=(--resume "$checkpoints")
fi

# One rank a node, bound to all of its cores, which it pins its threads to. This is Open MPI's mpirun;
# MPICH's takes `-ppn 1 -bind-to none` instead.
mpirun --map-by ppr:1:node:PE=36 --bind-to core \
  "$program" solve --node-balance dplb:0.5,10 --tolerance 1e-6 --out results \
  --checkpoint "$checkpoints" --every 600s "${resume[@]}" &
run=$!

# Two minutes before the end the ranks are told, and half a minute before it they are ended. mpirun
# passes SIGUSR1 on: all ranks write a checkpoint and go on. After SIGTERM, which would do both, it
# does not wait for long.
set -m # A process group of its own, which ends with whatever it waits for.
(
  sleep "$seconds"
  kill -USR1 "$run"
  sleep 90
  kill -TERM "$run"
) &
clock=$!
set +m

code=0
wait "$run" || code=$?
kill -- "-$clock" 2>/dev/null || true
if wait "$clock"; then
  # The time is over.
  qsub pbs.sh
else
  exit "$code"
fi
