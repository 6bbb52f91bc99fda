import { join } from 'node:path';
import { type ContainerStatus, NamespaceMode } from '@rxlet/cri-api';
import type { CriClient } from '@rxlet/cri-client';

/** A sandbox and its containers. Disposing of it removes them. */
export interface TestPod extends AsyncDisposable {
  readonly id: string;
  readonly logDirectory: string;
  /** Starts a container that runs a script, and returns its id. */
  start(
    name: string,
    script: string,
    more?: { readonly stdin?: boolean; readonly stdinOnce?: boolean },
  ): Promise<string>;
  status(containerId: string): Promise<ContainerStatus>;
}

/** Runs a sandbox by way of a CRI client. */
export async function runPod(
  { runtime }: CriClient,
  { name, logDirectory: root, image }: { readonly name: string; readonly logDirectory: string; readonly image: string },
): Promise<TestPod> {
  const logDirectory = join(root, name);
  const config = {
    metadata: { name, namespace: 'test', uid: `uid-${name}`, attempt: 0 },
    hostname: name,
    logDirectory,
    dnsConfig: { servers: ['10.0.0.10'], searches: ['test.svc'], options: ['ndots:5'] },
    linux: { securityContext: { namespaceOptions: { pid: NamespaceMode.CONTAINER } } },
  };
  const { podSandboxId } = await runtime.runPodSandbox({ config });
  return {
    id: podSandboxId,
    logDirectory,
    async start(containerName, script, more = {}) {
      const { containerId } = await runtime.createContainer({
        podSandboxId,
        sandboxConfig: config,
        config: {
          metadata: { name: containerName, attempt: 0 },
          image: { image },
          command: ['sh', '-c', script],
          logPath: `${containerName}.log`,
          linux: { securityContext: { namespaceOptions: { pid: NamespaceMode.CONTAINER } } },
          ...more,
        },
      });
      await runtime.startContainer({ containerId });
      return containerId;
    },
    async status(containerId) {
      const { status } = await runtime.containerStatus({ containerId });
      if (status === undefined) throw new Error(`no status of ${containerId}`);
      return status;
    },
    async [Symbol.asyncDispose]() {
      await runtime.stopPodSandbox({ podSandboxId });
      await runtime.removePodSandbox({ podSandboxId });
    },
  };
}
