import { containerdUnavailable } from '@rxlet/test-containerd/prerequisites';
import { dockerdUnavailable } from '@rxlet/test-containerd/private-dockerd';
import { describe } from 'vitest';
import { type TestNode, startContainerdNode } from './containerd-node.ts';
import { startDockerNode } from './docker-node.ts';

const runtimes = [
  { name: 'containerd', unavailable: containerdUnavailable(), startNode: startContainerdNode },
  { name: 'docker-shim', unavailable: dockerdUnavailable(), startNode: startDockerNode },
];

/** Defines a suite for each container runtime, which is skipped where that cannot be started, or for the reason `needs`. */
export function describeOnEachRuntime(
  title: string,
  { needs, ...options }: { readonly concurrent?: boolean; readonly needs?: string | undefined },
  define: (startNode: () => Promise<TestNode>) => void,
): void {
  for (const { name, unavailable: own, startNode } of runtimes) {
    const unavailable = own ?? needs;
    if (unavailable !== undefined) console.warn(`skipped on ${name}: ${unavailable}`);
    describe.skipIf(unavailable !== undefined)(`${title} on ${name}`, options, () => define(startNode));
  }
}
