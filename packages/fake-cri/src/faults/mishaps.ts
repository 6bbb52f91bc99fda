import type { Container } from '../container.ts';
import { publishEvent } from '../events.ts';
import type { RuntimeState } from '../runtime-state.ts';
import { isReady, markNotReady, type Sandbox } from '../sandbox.ts';
import { endScript } from '../scripts/container-plan.ts';

/**
 * The runtime forgets a container, as after its metadata was damaged: no event, no status, its name is free. Its program is gone with it, and its log
 * stays as it is.
 */
export function loseContainer(state: RuntimeState, container: Container): void {
  container.process?.abandon();
  endScript(container);
  for (const exec of container.execs) exec.abandon();
  container.log?.close();
  state.containers.delete(container);
  container.sandbox.containers.delete(container.id);
}

/**
 * A sandbox turns not ready without anybody stopping it, as when its pause process dies: its address is gone, and its containers go on running, as they do
 * in containerd. Does nothing when it is not ready already.
 */
export function failSandbox(state: RuntimeState, sandbox: Sandbox): void {
  if (!isReady(sandbox)) return;
  if (sandbox.ip !== undefined) state.ips.release(sandbox.ip);
  markNotReady(sandbox);
  publishEvent(state, 'STOPPED', sandbox, sandbox.id);
}
