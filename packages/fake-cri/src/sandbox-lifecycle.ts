import { create } from '@bufbuild/protobuf';
import { type PodSandboxConfig, PodSandboxConfigSchema, ServiceError, StatusCode } from '@rxlet/cri-api';
import { copyMessage } from './copy-message.ts';
import { killContainer, removeContainer } from './container-lifecycle.ts';
import { publishEvent } from './events.ts';
import { newId, type RuntimeState } from './runtime-state.ts';
import { createSandbox, isReady, markNotReady, sandboxName, usesHostNetwork } from './sandbox.ts';
import type { Sandbox } from './runtime-objects.ts';
import { checkUserNamespace } from './security/user-namespace.ts';

/**
 * RunPodSandbox. Throws InvalidArgument without metadata, for an unknown runtime handler or an invalid user namespace, AlreadyExists while another sandbox has the name, and
 * ResourceExhausted when no address is left.
 */
export function runSandbox(state: RuntimeState, config: PodSandboxConfig | undefined, runtimeHandler: string): Sandbox {
  if (config?.metadata === undefined)
    throw new ServiceError(StatusCode.InvalidArgument, 'the sandbox config has no metadata');
  if (runtimeHandler !== '' && !state.options.runtimeHandlers.includes(runtimeHandler)) {
    throw new ServiceError(StatusCode.InvalidArgument, `no runtime for "${runtimeHandler}" is configured`);
  }
  checkUserNamespace(config.linux?.securityContext?.namespaceOptions?.usernsOptions);
  const name = sandboxName(config.metadata);
  state.sandboxes.checkNameIsFree(name);
  const ip = usesHostNetwork(config) ? undefined : state.ips.allocate();
  // The caller may change its request afterwards.
  const ownConfig = copyMessage(create(PodSandboxConfigSchema, config));
  const sandbox = createSandbox(newId(state), name, ownConfig, runtimeHandler, ip, state.timestamps());
  state.sandboxes.add(sandbox);
  publishEvent(state, 'CREATED', sandbox, sandbox.id);
  publishEvent(state, 'STARTED', sandbox, sandbox.id);
  return sandbox;
}

/** StopPodSandbox: kills its containers without a grace period, since callers stop them first, and releases its address. */
export function stopSandbox(state: RuntimeState, sandbox: Sandbox): void {
  for (const container of sandbox.containers.values()) killContainer(container);
  if (!isReady(sandbox)) return;
  if (sandbox.ip !== undefined) state.ips.release(sandbox.ip);
  markNotReady(sandbox);
  publishEvent(state, 'STOPPED', sandbox, sandbox.id);
}

/** RemovePodSandbox: stops the sandbox, then removes its containers and itself. */
export function removeSandbox(state: RuntimeState, sandbox: Sandbox): void {
  stopSandbox(state, sandbox);
  for (const container of [...sandbox.containers.values()]) removeContainer(state, container);
  state.sandboxes.delete(sandbox);
  publishEvent(state, 'DELETED', sandbox, sandbox.id);
}
