import type { Container, Sandbox } from '../runtime-objects.ts';
import { publishEvent } from '../events.ts';
import type { RuntimeState } from '../runtime-state.ts';
import { isReady, markNotReady } from '../sandbox.ts';
import { endScript } from '../scripts/container-plan.ts';

/**
 * Removes a container as if its metadata were damaged: no event, no status, its name is free. Its program ends, and its log stays.
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
 * Turns a sandbox not ready without a call, as when its pause process dies: its address is released, and its containers keep running, as in containerd. Does
 * nothing when it is not ready already.
 */
export function failSandbox(state: RuntimeState, sandbox: Sandbox): void {
  if (!isReady(sandbox)) return;
  if (sandbox.ip !== undefined) state.ips.release(sandbox.ip);
  markNotReady(sandbox);
  publishEvent(state, 'STOPPED', sandbox, sandbox.id);
}
