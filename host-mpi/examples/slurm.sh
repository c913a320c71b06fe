#!/usr/bin/env bash
# Solves on 4 nodes of two sockets with 18 cores each, one rank a socket, one thread a core; goes on
# where it was when the time is over. Submit it with `sbatch slurm.sh`.
#SBATCH --job-name=tresse
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
#SBATCH --ntasks-per-socket=1
#SBATCH --cpus-per-task=18
#SBATCH --hint=nomultithread
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
# Two minutes before the end this script is told: time enough for a checkpoint.
#SBATCH --signal=B:USR1@120
set -euo pipefail

program="${TRESSE_MPI:-tresse-mpi}"
results="${SLURM_SUBMIT_DIR:-.}/results"
checkpoints="$results/checkpoints"

# A job that was queued again goes on with the newest checkpoint of the one before.
resume=()
if compgen -G "$checkpoints/checkpoint-*/manifest.jsonl" >/dev/null; then
  resume=(--resume "$checkpoints")
fi

# SIGTERM makes all ranks write a checkpoint and end. srun passes it on.
is_time_over=false run=""
trap 'is_time_over=true; [[ -z "$run" ]] || kill -TERM "$run"' USR1

# A rank that is gone ends the job: the others would wait for it until the time is over.
# srun binds each rank to its cores, which it pins its threads to.
# (With Open MPI, srun starts ranks where Slurm has PMIx: `srun --mpi=list`.)
srun --kill-on-bad-exit=1 --cpu-bind=cores --cpus-per-task="${SLURM_CPUS_PER_TASK:-18}" \
  "$program" solve --node-balance dplb:0.5,10 --tolerance 1e-6 --out "$results" \
  --checkpoint "$checkpoints" --every 600s "${resume[@]}" &
run=$!
if "$is_time_over"; then kill -TERM "$run"; fi

code=0
wait "$run" || code=$?
if "$is_time_over"; then
  # The signal ended the wait, not yet the run.
  code=0
  wait "$run" || code=$?
  # Unless it reached its tolerance just then.
  if ((code != 0)); then
    scontrol requeue "$SLURM_JOB_ID"
  fi
fi
exit "$code"
