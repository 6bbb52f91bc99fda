import { ServiceError, StatusCode } from '@rxlet/cri-api';
import type { Container, ContainerStatus, PodSpec } from '@rxlet/kube-api';
import { afterEach, describe, expect, it } from 'vitest';
import { manifestPod } from '@rxlet/pod-model/testing';
import { createTestNode, type TestNode } from '../test-node.ts';

const benches: TestNode[] = [];
const bench = (...args: Parameters<typeof createTestNode>): TestNode => {
  const made = createTestNode(...args);
  benches.push(made);
  return made;
};
afterEach(async () => {
  for (const made of benches.splice(0)) {
    await made[Symbol.asyncDispose]();
    expect(made.clock.pendingTimers).toBe(0);
  }
});

type Bad = Partial<Container> & { readonly spec?: Partial<PodSpec> };

const badPod = ({ spec, ...container }: Bad) =>
  manifestPod('bad', {
    containers: [{ name: 'app', image: 'registry.example/app:1', command: ['serve'], ...container }],
    ...spec,
  });

const containerStatus = (made: TestNode, pod: string): ContainerStatus | undefined => {
  const found = made
    .agent()
    .pods.list()
    .find(({ metadata }) => metadata?.name === pod);
  return found?.status?.containerStatuses?.find(({ name }) => name === 'app');
};
const waiting = (made: TestNode) => containerStatus(made, 'bad')?.state?.waiting;

/** Records the waiting states of the bad pod's container, in order, once each. */
function watchWaiting(made: TestNode): { reason?: string; message?: string }[] {
  const shown: { reason?: string; message?: string }[] = [];
  made.agent().pods.changes$.subscribe(() => {
    const now = waiting(made);
    if (now?.message !== undefined && now.message !== shown.at(-1)?.message) shown.push(now);
  });
  return shown;
}

/** Runs a bad pod beside two good ones for ten minutes. @returns the first waiting state of its container. */
async function beside(made: TestNode, bad: Bad): Promise<{ reason?: string; message?: string } | undefined> {
  await made.start();
  const shown = watchWaiting(made);
  const good = [manifestPod('good'), manifestPod('better')];
  made.desire(...good);
  await made.clock.runUntil(() => made.running().length === 2);
  const ids = (): string[] => ['good', 'better'].flatMap((name) => made.instances(name).map(({ id }) => id));
  const before = ids();
  made.desire(...good, badPod(bad));
  await made.clock.advance(600_000);
  // The other pods are not affected.
  expect(made.running()).toEqual(['better/app', 'good/app']);
  expect(ids()).toEqual(before);
  for (const name of ['good', 'better']) {
    expect(containerStatus(made, name)).toMatchObject({ restartCount: 0, ready: true });
  }
  return shown[0];
}

type BenchOptions = NonNullable<Parameters<typeof createTestNode>[0]>;
const imageWithUser = (user: string): BenchOptions => ({ images: [{ tags: ['registry.example/user:1'], user }] });

const POD = '"bad_default(uid-bad-1)"';

const cases: readonly {
  readonly name: string;
  readonly bad: Bad;
  readonly options?: BenchOptions;
  readonly reason: string;
  readonly message: string | RegExp;
}[] = [
  {
    name: 'an invalid image name',
    bad: { image: 'Invalid//Image:::x' },
    reason: 'InvalidImageName',
    message:
      'Failed to apply default image tag "Invalid//Image:::x": couldn\'t parse image name "Invalid//Image:::x": invalid reference format: repository name (/Image) must be lowercase',
  },
  {
    name: 'an image that may not be pulled',
    bad: { image: 'registry.example/absent:1', imagePullPolicy: 'Never' },
    reason: 'ErrImageNeverPull',
    message: 'Container image "registry.example/absent:1" is not present with pull policy of Never',
  },
  {
    name: 'an image that is in no registry',
    bad: { image: 'registry.example/gone:1' },
    options: { missingImages: ['registry.example/gone:1'] },
    reason: 'ErrImagePull',
    message: /^rpc error: code = NotFound desc = .*registry\.example\/gone:1/,
  },
  {
    name: 'a user that must not be root, and is by its number',
    bad: { securityContext: { runAsNonRoot: true, runAsUser: 0 } },
    reason: 'CreateContainerConfigError',
    message: `container's runAsUser breaks non-root policy (pod: ${POD}, container: app)`,
  },
  {
    name: 'a user that must not be root, and is by the image',
    bad: { spec: { securityContext: { runAsNonRoot: true } } },
    reason: 'CreateContainerConfigError',
    message: `container has runAsNonRoot and image will run as root (pod: ${POD}, container: app)`,
  },
  {
    name: 'a user that must not be root, and has only a name',
    bad: { image: 'registry.example/user:1', securityContext: { runAsNonRoot: true } },
    options: imageWithUser('www-data'),
    reason: 'CreateContainerConfigError',
    message: `container has runAsNonRoot and image has non-numeric user (www-data), cannot verify user is non-root (pod: ${POD}, container: app)`,
  },
  {
    name: 'a value from a ConfigMap without an API server',
    bad: { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key: 'a' } } }] },
    reason: 'CreateContainerConfigError',
    message: "couldn't get configMap default/settings, no kubeClient defined",
  },
  {
    name: 'a value from a Secret without an API server',
    bad: { envFrom: [{ secretRef: { name: 'password' } }] },
    reason: 'CreateContainerConfigError',
    message: "couldn't get secret default/password, no kubeClient defined",
  },
  {
    name: 'a value from a field that does not exist',
    bad: { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.nonsense' } } }] },
    reason: 'CreateContainerConfigError',
    message: 'field label not supported: spec.nonsense',
  },
  {
    name: 'a seccomp profile without a file',
    bad: { securityContext: { seccompProfile: { type: 'Localhost' } } },
    reason: 'CreateContainerConfigError',
    message: 'localhostProfile must be set if seccompProfile type is Localhost.',
  },
];

describe('a bad pod', () => {
  it.each(cases)(
    'with $name: shows the cause in its status, and affects no other pod',
    async ({ bad, options, reason, message }) => {
      const shown = await beside(bench(options), bad);
      expect(shown?.reason).toBe(reason);
      if (typeof message === 'string') expect(shown?.message).toBe(message);
      else expect(shown?.message).toMatch(message);
    },
  );

  it.each([
    ['createContainer', 'CreateContainerError'],
    ['startContainer', 'RunContainerError'],
  ] as const)(
    'fails with the runtime’s message when the runtime rejects its resources at %s: %s',
    async (rpc, reason) => {
      const made = bench();
      const call = made.fake.runtime[rpc] as (request: object, options?: object) => Promise<never>;
      const isBad = (request: object): boolean => {
        const { config, containerId } = request as {
          config?: { labels?: Record<string, string> };
          containerId?: string;
        };
        const labels = config?.labels ?? made.fake.snapshot().containers.find(({ id }) => id === containerId)?.labels;
        return labels?.['io.kubernetes.pod.name'] === 'bad';
      };
      const refuse = (request: object, options?: object): Promise<never> => {
        if (!isBad(request)) return call(request, options);
        const { containerId = 'it' } = request as { containerId?: string };
        const message = `failed to write 5 for ${containerId}: minimum memory limit is 6MB`;
        return Promise.reject(new ServiceError(StatusCode.Unknown, message));
      };
      Object.assign(made.fake.runtime, { [rpc]: refuse });
      const shown = await beside(made, { resources: { limits: { memory: '5' } } });
      expect(shown?.reason).toBe(reason);
      expect(shown?.message).toMatch(/^failed to write 5 for \w+: minimum memory limit is 6MB$/);
      const failed = made
        .agent()
        .events.list()
        .filter(({ reason: of }) => of === 'Failed');
      // One event however often it happened: ids, which differ each time, are not in it.
      expect(failed.map(({ message }) => message)).toEqual([
        `Error: failed to write 5 for ${rpc === 'startContainer' ? 'app' : 'it'}: minimum memory limit is 6MB`,
      ]);
      expect(made.instances('bad').length).toBeLessThanOrEqual(1);
      // Containers that were never created leave no state.
      const messages = await made.files.nodeFiles.list('/root/pods/uid-bad-1/containers/app');
      if (rpc === 'createContainer') expect(messages).toEqual([]);
    },
  );

  it('runs its other containers when its debugging container has no target', async () => {
    const made = bench();
    await made.start();
    made.desire(
      manifestPod('bad', {
        ephemeralContainers: [
          { name: 'debug', image: 'registry.example/debug:1', command: ['serve'], targetContainerName: 'absent' },
        ],
      }),
    );
    await made.clock.advance(120_000);
    expect(made.running()).toEqual(['bad/app']);
    const [pod] = made.agent().pods.list();
    expect(pod?.status?.ephemeralContainerStatuses?.[0]?.state?.waiting).toEqual({
      reason: 'CreateContainerConfigError',
      message: 'unable to find target container absent',
    });
    expect(containerStatus(made, 'bad')).toMatchObject({ restartCount: 0, ready: true });
  });

  it('with invalid expansions in its command: runs, and leaves them unexpanded', async () => {
    const made = bench();
    await made.start();
    const args: string[][] = [];
    const { createContainer } = made.fake.runtime;
    made.fake.runtime.createContainer = (request, options) => {
      args.push([...(request.config?.args ?? [])]);
      return createContainer(request, options);
    };
    made.desire(
      badPod({
        args: ['$(A)', '$(NOPE)', '$$(A)', '$(A', '$A', '$', '$()', '$$$(A)', '$(A)$(B)'],
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '$(A)$(LATER)' },
          { name: 'LATER', value: '2' },
        ],
      }),
    );
    await made.clock.runUntil(() => made.running().length === 1);
    expect(args).toEqual([['1', '$(NOPE)', '$(A)', '$(A', '$A', '$', '$()', '$1', '11$(LATER)']]);
  });

  it('shows the next problem once the first is fixed', async () => {
    const made = bench({ missingImages: ['registry.example/gone:1'] });
    await made.start();
    const shown = watchWaiting(made);
    made.desire(badPod({ image: 'registry.example/gone:1', securityContext: { runAsNonRoot: true } }));
    await made.clock.advance(20_000);
    made.fake.registry.publish({ tags: ['registry.example/gone:1'] });
    await made.clock.advance(400_000);
    expect([...new Set(shown.map(({ reason }) => reason))]).toEqual([
      'ErrImagePull',
      'ImagePullBackOff',
      'CreateContainerConfigError',
    ]);
    expect(shown.find(({ reason }) => reason === 'ImagePullBackOff')?.message).toMatch(
      /^Back-off pulling image "registry\.example\/gone:1": ErrImagePull: rpc error: code = NotFound/,
    );
  });
});
