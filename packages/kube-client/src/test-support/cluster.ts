import type { KubeClient } from '@rxlet/kube-api/client';
import { seededRandom } from '@rxlet/component-base';
import {
  createVirtualClock,
  recordingLogger,
  type RecordingLogger,
  type VirtualClock,
} from '@rxlet/component-base/testing';
import { admin, createFakeKube, type FakeKube, type FakeKubeOptions, type User } from '@rxlet/fake-kube';
import { createKubeClient, type KubeClientOptions } from '../create-kube-client.ts';

/** A client of an API server in memory, on virtual time. */
export interface TestCluster extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly kube: FakeKube;
  readonly client: KubeClient;
  readonly logger: RecordingLogger;
  /** Creates another client. */
  clientOf(user: User, options?: Partial<KubeClientOptions>): KubeClient;
}

export function createTestCluster(
  options: FakeKubeOptions & { readonly client?: Partial<KubeClientOptions> } = {},
): TestCluster {
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const kube = createFakeKube({ clock, random: seededRandom(1) }, options);
  const clientOf = (user: User, more: Partial<KubeClientOptions> = {}): KubeClient =>
    createKubeClient(
      { transport: { send: (request) => kube.handle({ ...request, user }) }, clock, random: seededRandom(2), logger },
      { userAgent: 'kubelet/v1.36.2 (linux/amd64) kubernetes/test', ...more },
    );
  return {
    clock,
    kube,
    logger,
    client: clientOf(admin, options.client),
    clientOf,
    [Symbol.asyncDispose]: () => kube[Symbol.asyncDispose](),
  };
}

/** A pod with one container. */
export const podNamed = (name: string, nodeName?: string) =>
  ({
    metadata: { name, namespace: 'default' },
    spec: { containers: [{ name: 'c', image: 'busybox:1' }], ...(nodeName !== undefined && { nodeName }) },
  }) as const;
