import type { DockerEngine } from '../engine/docker-engine.ts';
import type { ContainerLogs } from '../logs/container-logs.ts';
import { isConflict, isMissing } from '../engine/docker-error.ts';

/** Time that Docker may take besides the grace period. */
const EXTRA_MS = 60_000;

/** Stops a container with its stop signal, and kills it after the grace period; at once without one. Succeeds when it does not run or does not exist. */
export async function stopContainer(
  { engine }: { readonly engine: DockerEngine },
  id: string,
  graceSeconds: number,
  signal: AbortSignal,
): Promise<void> {
  const timeoutMs = graceSeconds * 1000 + EXTRA_MS;
  try {
    if (graceSeconds > 0) {
      await engine.json('POST', `/containers/${id}/stop`, { query: { t: graceSeconds }, signal, timeoutMs });
    } else {
      // Docker's stop would send the stop signal first, and returns from the kill after the exit.
      await engine.json('POST', `/containers/${id}/kill`, { query: { signal: 'SIGKILL' }, signal, timeoutMs });
    }
  } catch (error) {
    // A conflict: it does not run.
    if (!isMissing(error) && !isConflict(error)) throw error;
  }
}

/** Removes a container, also one that runs. Succeeds when it does not exist. Its log is completed first. */
export async function removeContainer(
  { engine, logs }: { readonly engine: DockerEngine; readonly logs: ContainerLogs },
  id: string,
  signal: AbortSignal,
): Promise<void> {
  await stopContainer({ engine }, id, 0, signal);
  await logs.complete(id);
  try {
    await engine.json('DELETE', `/containers/${id}`, { query: { force: true, v: true }, signal });
  } catch (error) {
    // A conflict: another call is removing it.
    if (!isMissing(error) && !isConflict(error)) throw error;
  }
  await logs.forget(id);
}
