import { create } from '@bufbuild/protobuf';
import { errorMessage } from '@rxlet/component-base';
import { ContainerSchema, ContainerState, PodSandboxSchema } from '@rxlet/cri-api';
import type { StateStore } from '@rxlet/node-files/state-file';
import { containerName, createContainer } from '../container.ts';
import { resumeContainer } from '../container-lifecycle.ts';
import type { RuntimeState } from '../runtime-state.ts';
import { createSandbox, sandboxName } from '../sandbox.ts';
import { containerPlan } from '../scripts/container-plan.ts';
import { parseSavedState, type SavedState } from './saved-state.ts';

/** Returns the state in its saved form. */
export function captureState(state: RuntimeState): SavedState {
  return {
    images: [...state.images.values()],
    sandboxes: Array.from(state.sandboxes.values(), ({ config, status, ip }) => ({ config, status, ip })),
    containers: Array.from(state.containers.values(), ({ sandbox, config, status, image }) => ({
      podSandboxId: sandbox.id,
      config,
      status,
      image,
    })),
  };
}

/**
 * Restores the state in `store` to an empty runtime. Unreadable state is moved away with one warning, and the runtime stays empty. Running containers resume,
 * their programs from the start.
 */
export function loadState(state: RuntimeState, store: StateStore): void {
  const text = store.load();
  if (text === undefined) return;
  let saved: SavedState;
  try {
    saved = parseSavedState(text);
  } catch (error) {
    const movedTo = store.setAside();
    state.logger.warn('the saved state cannot be read, so the runtime starts empty', {
      movedTo,
      error: errorMessage(error),
    });
    return;
  }
  restoreState(state, saved);
}

function restoreState(state: RuntimeState, saved: SavedState): void {
  for (const image of saved.images) state.images.restore(image);
  for (const { config, status, ip } of saved.sandboxes) {
    const { id, runtimeHandler, createdAt } = status;
    const sandbox = createSandbox(id, sandboxName(config.metadata!), config, runtimeHandler, ip, createdAt);
    if (ip !== undefined) state.ips.claim(ip);
    sandbox.status = status;
    sandbox.listed = create(PodSandboxSchema, { ...sandbox.listed, state: status.state });
    state.sandboxes.add(sandbox);
  }
  for (const { podSandboxId, config, status, image } of saved.containers) {
    const sandbox = state.sandboxes.get(podSandboxId);
    const name = containerName(sandbox, config);
    const plan = containerPlan(state, sandbox, config, image);
    const container = createContainer(status.id, name, sandbox, config, image, status.createdAt, plan);
    container.status = status;
    container.listed = create(ContainerSchema, { ...container.listed, state: status.state });
    state.containers.add(container);
    sandbox.containers.set(container.id, container);
    if (status.state === ContainerState.CONTAINER_RUNNING) resumeContainer(state, container);
  }
}
