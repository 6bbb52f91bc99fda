import { ContainerState, PodSandboxState, type Container, type PodSandbox, type RuntimeService } from '@rxlet/cri-api';
import { PodLabel } from '@rxlet/pod-model';

/** Finds the running container of a pod in the runtime itself, because the agent's own view may be a second behind. */
export async function findRunningContainer(
  runtime: Pick<RuntimeService, 'listContainers'>,
  podUid: string,
  name: string,
  signal: AbortSignal,
): Promise<Container | undefined> {
  const labelSelector = { [PodLabel.podUid]: podUid, [PodLabel.containerName]: name };
  const filter = { labelSelector, state: { state: ContainerState.CONTAINER_RUNNING } };
  return newest((await runtime.listContainers({ filter }, { signal })).containers);
}

/** Finds the ready sandbox of a pod, likewise. */
export async function findReadySandbox(
  runtime: Pick<RuntimeService, 'listPodSandbox'>,
  podUid: string,
  signal: AbortSignal,
): Promise<PodSandbox | undefined> {
  const filter = { labelSelector: { [PodLabel.podUid]: podUid }, state: { state: PodSandboxState.SANDBOX_READY } };
  return newest((await runtime.listPodSandbox({ filter }, { signal })).items);
}

function newest<T extends { readonly createdAt: bigint }>(objects: readonly T[]): T | undefined {
  return objects.reduce<T | undefined>(
    (latest, object) => (latest === undefined || object.createdAt > latest.createdAt ? object : latest),
    undefined,
  );
}
