import { create, toJson } from '@bufbuild/protobuf';
import {
  ListPodSandboxResponseSchema,
  type PodSandbox as PodSandboxMessage,
  PodSandboxConfigSchema,
  type PodSandboxFilter,
  PodSandboxStatusResponseSchema,
  RemovePodSandboxResponseSchema,
  RunPodSandboxResponseSchema,
  StopPodSandboxResponseSchema,
  StreamPodSandboxesResponseSchema,
} from '@rxlet/cri-api';
import { filterSandboxes } from '../list-filter.ts';
import type { RuntimeState } from '../runtime-state.ts';
import { isReady } from '../sandbox.ts';
import type { Sandbox } from '../runtime-objects.ts';
import { removeSandbox, runSandbox, stopSandbox } from '../sandbox-lifecycle.ts';
import { inBatches } from './batches.ts';
import type { RuntimeHandlers } from './port.ts';

/** RunPodSandbox, StopPodSandbox, RemovePodSandbox, PodSandboxStatus, ListPodSandbox, StreamPodSandboxes. */
export function sandboxRpcs(state: RuntimeState): RuntimeHandlers {
  const list = (filter: PodSandboxFilter | undefined): PodSandboxMessage[] =>
    filterSandboxes(
      Array.from(state.sandboxes.values(), (sandbox) => sandbox.listed),
      filter,
    );

  return {
    runPodSandbox({ config, runtimeHandler }) {
      return create(RunPodSandboxResponseSchema, { podSandboxId: runSandbox(state, config, runtimeHandler).id });
    },
    stopPodSandbox({ podSandboxId }) {
      const sandbox = state.sandboxes.find(podSandboxId);
      if (sandbox !== undefined) stopSandbox(state, sandbox);
      return create(StopPodSandboxResponseSchema);
    },
    removePodSandbox({ podSandboxId }) {
      const sandbox = state.sandboxes.find(podSandboxId);
      if (sandbox !== undefined) removeSandbox(state, sandbox);
      return create(RemovePodSandboxResponseSchema);
    },
    podSandboxStatus({ podSandboxId, verbose }) {
      const sandbox = state.sandboxes.get(podSandboxId);
      return create(PodSandboxStatusResponseSchema, {
        status: sandbox.status,
        containersStatuses: Array.from(sandbox.containers.values(), (container) => container.status),
        timestamp: state.timestamps(),
        info: verbose ? { info: verboseInfo(sandbox) } : {},
      });
    },
    listPodSandbox({ filter }) {
      // Not passed to create, which checks each message.
      return { ...create(ListPodSandboxResponseSchema), items: list(filter) };
    },
    streamPodSandboxes({ filter }) {
      return inBatches(list(filter), (podSandboxes) => create(StreamPodSandboxesResponseSchema, { podSandboxes }));
    },
  };
}

/** The part of containerd's verbose information that has a meaning here, as JSON. */
function verboseInfo(sandbox: Sandbox): string {
  return JSON.stringify({
    sandboxID: sandbox.id,
    processStatus: isReady(sandbox) ? 'running' : 'stopped',
    netNamespaceClosed: !isReady(sandbox),
    runtimeHandler: sandbox.status.runtimeHandler,
    config: toJson(PodSandboxConfigSchema, create(PodSandboxConfigSchema, sandbox.config), { useProtoFieldName: true }),
  });
}
