import {
  type PodSandbox,
  type PodSandboxFilter,
  type RuntimeServiceDescriptor,
  ServiceError,
  StatusCode,
} from '@rxlet/cri-api';
import type { Backend } from '../backend.ts';
import type { DockerListedContainer } from '../engine/docker-types.ts';
import { inBatches } from '../rpc/batches.ts';
import { hasId, hasLabels } from '../rpc/filters.ts';
import type { Handlers } from '../rpc/port.ts';
import { runSandbox } from './run-sandbox.ts';
import { checkpointedSandbox, checkpointedStatus, listedSandbox, sandboxStatus } from './sandbox-view.ts';
import { removeSandbox, stopSandbox } from './stop-sandbox.ts';

/** Handlers of the RPCs of sandboxes. */
export function sandboxHandlers(backend: Backend): Handlers<typeof RuntimeServiceDescriptor> {
  return {
    async runPodSandbox({ config, runtimeHandler }, signal) {
      if (config === undefined) throw new ServiceError(StatusCode.InvalidArgument, 'the sandbox has no configuration');
      return { podSandboxId: await runSandbox(backend, config, runtimeHandler, signal) };
    },
    async stopPodSandbox({ podSandboxId }, signal) {
      await stopSandbox(backend, podSandboxId, signal);
      return {};
    },
    async removePodSandbox({ podSandboxId }, signal) {
      await removeSandbox(backend, podSandboxId, signal);
      return {};
    },
    async podSandboxStatus({ podSandboxId, verbose }, signal) {
      const { containers, checkpoints, addresses } = backend;
      const found = await containers.find('podsandbox', podSandboxId, signal);
      const checkpoint = found === undefined ? await checkpoints.read(podSandboxId) : undefined;
      if (checkpoint !== undefined) {
        return { status: checkpointedStatus(checkpoint), info: {}, containersStatuses: [], timestamp: 0n };
      }
      const container = found ?? (await containers.inspect('podsandbox', podSandboxId, signal));
      const status = sandboxStatus(container, await addresses.get(container.Id));
      const info: Record<string, string> = verbose ? { info: JSON.stringify(container) } : {};
      return { status, info, containersStatuses: [], timestamp: 0n };
    },
    listPodSandbox: async ({ filter }, signal) => ({ items: await listSandboxes(backend, filter, signal) }),
    async *streamPodSandboxes({ filter }, signal) {
      for (const batch of inBatches(await listSandboxes(backend, filter, signal))) yield { podSandboxes: batch };
    },
  };
}

/** Lists sandboxes, including those whose container is gone but whose checkpoint is left. */
export async function listSandboxes(
  { containers, checkpoints, addresses }: Backend,
  filter: PodSandboxFilter | undefined,
  signal: AbortSignal,
): Promise<PodSandbox[]> {
  // Before the containers, so that a sandbox in between is not taken for one whose container is gone.
  const stored = new Map((await checkpoints.list()).map((checkpoint) => [checkpoint.id, checkpoint]));
  const listed = await containers.list('podsandbox', undefined, signal);
  const found = await Promise.all(
    listed.map(async (container) => {
      const isReady = await isListedReady(container, addresses, stored.get(container.Id)?.isHostNetwork);
      return listedSandbox(container, await containers.createdAt(container, signal), isReady);
    }),
  );
  for (const { Id } of listed) stored.delete(Id);
  const all = [...found.filter((sandbox) => sandbox !== undefined), ...[...stored.values()].map(checkpointedSandbox)];
  if (filter === undefined) return all;
  const { id, state, labelSelector } = filter;
  return all.filter(
    (sandbox) =>
      hasId(sandbox.id, id) &&
      (state === undefined || sandbox.state === state.state) &&
      hasLabels(sandbox.labels, labelSelector),
  );
}

async function isListedReady(
  { Id, State, HostConfig }: DockerListedContainer,
  addresses: Backend['addresses'],
  isHostNetwork: boolean | undefined,
): Promise<boolean> {
  if (State !== 'running') return false;
  if (isHostNetwork ?? HostConfig?.NetworkMode === 'host') return true;
  return (await addresses.get(Id)).length > 0;
}
