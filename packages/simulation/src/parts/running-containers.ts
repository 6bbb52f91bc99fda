import { ContainerState, type ContainerStatus } from '@rxlet/cri-api';
import { PodLabel } from '@rxlet/pod-model';
import type { TestNode } from '@rxlet/testing';
import { containerKey } from '../history/history.ts';

/** Returns the running containers of a node. */
export function runningContainers({ fake }: TestNode): readonly ContainerStatus[] {
  return fake.snapshot().containers.filter(({ state }) => state === ContainerState.CONTAINER_RUNNING);
}

/** Returns the key of a container of the runtime. */
export function keyOfContainer({ labels }: Pick<ContainerStatus, 'labels'>): string {
  return containerKey({ uid: labels[PodLabel.podUid] ?? '', name: labels[PodLabel.containerName] ?? '' });
}

/** Calls `written` with each new content of a file, and with the keys of the containers that ran just before. */
export function followFile(
  node: TestNode,
  file: string,
  written: (content: string, running: readonly string[]) => void,
): void {
  const { nodeFiles } = node.files;
  const { replaceFile } = nodeFiles;
  nodeFiles.replaceFile = async (path, content, mode) => {
    const running = path === file ? runningContainers(node).map(keyOfContainer) : [];
    await replaceFile(path, content, mode);
    if (path === file) written(String(content), running);
  };
}
