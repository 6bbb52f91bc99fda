import type { Backend } from '../backend.ts';
import { isConflict, isMissing } from '../engine/docker-error.ts';
import type { DockerContainer } from '../engine/docker-types.ts';
import { parseSandboxName } from '../names/docker-names.ts';
import { removeContainer, stopContainer } from '../container/end-container.ts';
import type { SandboxCheckpoint } from './checkpoint.ts';

/** Stops a sandbox: kills its containers, disconnects it and stops its own container. Succeeds when nothing of it is left. */
export async function stopSandbox(backend: Backend, podSandboxId: string, signal: AbortSignal): Promise<void> {
  const { containers, checkpoints, sandboxQueue } = backend;
  const container = await containers.find('podsandbox', podSandboxId, signal);
  const id = container?.Id ?? podSandboxId;
  const checkpoint = await checkpoints.read(id);
  if (container === undefined && checkpoint === undefined) return;
  await sandboxQueue.run(id, () => stopParts(backend, id, container, checkpoint, signal));
}

/** Removes a sandbox and its containers. Succeeds when nothing of it is left. */
export async function removeSandbox(backend: Backend, podSandboxId: string, signal: AbortSignal): Promise<void> {
  const { containers, checkpoints, sandboxQueue } = backend;
  const container = await containers.find('podsandbox', podSandboxId, signal);
  const id = container?.Id ?? podSandboxId;
  const checkpoint = await checkpoints.read(id);
  if (container === undefined && checkpoint === undefined) return;
  await sandboxQueue.run(id, async () => {
    await stopParts(backend, id, container, checkpoint, signal);
    for (const { Id } of await containers.list('container', id, signal)) await removeContainer(backend, Id, signal);
    await forceRemove(backend, id, signal);
    await checkpoints.remove(id);
  });
}

async function stopParts(
  backend: Backend,
  id: string,
  container: DockerContainer | undefined,
  checkpoint: SandboxCheckpoint | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { containers, network, addresses } = backend;
  const listed = await containers.list('container', id, signal);
  await Promise.all(listed.map(({ Id }) => stopContainer(backend, Id, 0, signal)));
  const isOnHost =
    container === undefined ? checkpoint?.isHostNetwork === true : container.HostConfig.NetworkMode === 'host';
  if (!isOnHost) {
    const { State } = container ?? {};
    const pod = checkpoint?.name ?? parseSandboxName(container?.Name ?? '');
    addresses.forget(id);
    await network.tearDown(
      {
        sandboxId: id,
        pod: pod ?? { name: '', namespace: '', uid: '' },
        netnsPath: State?.Running === true ? `/proc/${String(State.Pid)}/ns/net` : undefined,
        hostPorts: checkpoint?.hostPorts ?? [],
        annotations: {},
        dns: { servers: [], searches: [], options: [] },
      },
      signal,
    );
  }
  if (container === undefined) return;
  try {
    await stopContainer(backend, id, 0, signal);
  } catch (error) {
    // Without its network it is listed as not ready, so its owner does not repeat the call.
    backend.straySandboxes.request();
    throw error;
  }
}

async function forceRemove({ engine }: Backend, id: string, signal: AbortSignal): Promise<void> {
  try {
    await engine.json('DELETE', `/containers/${id}`, { query: { force: true, v: true }, signal });
  } catch (error) {
    if (!isMissing(error) && !isConflict(error)) throw error;
  }
}
