import { create } from '@bufbuild/protobuf';
import {
  type AgentCore,
  type AgentModule,
  type CorePorts,
  provide,
  type ProvidedService,
  type ServiceKey,
} from '@rxlet/agent-api';
import { noopJournal } from '@rxlet/agent-api/journal';
import { imageEnsurer } from '@rxlet/agent-api/images';
import { podObjects } from '@rxlet/agent-api/kube';
import { noopLogger, seededRandom } from '@rxlet/component-base';
import { createEventLog } from '@rxlet/component-base/events';
import { noopMetrics } from '@rxlet/component-base/metrics';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { PodSandboxConfigSchema } from '@rxlet/cri-api';
import { createFakeRuntime, discardLogs, type FakeImage } from '@rxlet/fake-cri';
import { imageCredentials } from '@rxlet/image-credentials';
import { imageManagement } from '@rxlet/image-manager';
import type { Secret } from '@rxlet/kube-api';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { testPod } from '@rxlet/pod-model/testing';
import { NEVER } from 'rxjs';
import { expect, it } from 'vitest';

const image = 'registry.example:5000/team/app:1';
const records = '/root/image_manager';

function setUp(registryImage: Partial<FakeImage>, secrets: Record<string, Secret>) {
  const clock = createVirtualClock();
  const random = seededRandom(1);
  const fake = createFakeRuntime(
    { clock, random, logs: discardLogs },
    { images: [{ tags: [image], ...registryImage }] },
  );
  const memory = createMemoryFiles();
  const events = createEventLog(clock);
  const ports: CorePorts = {
    runtime: fake.runtime,
    images: fake.images,
    files: memory.nodeFiles,
    hostFiles: memory.hostFiles,
    clock,
    random,
    logger: noopLogger,
    metrics: noopMetrics,
    events,
    journal: noopJournal,
    node: { name: 'node1', rootDirectory: '/root', podLogsDirectory: '/logs', ips: [] },
  };
  const services: ProvidedService[] = [
    provide(podObjects, {
      configMap: async () => undefined,
      secret: async (_, name) => secrets[name],
      changes$: NEVER,
    }),
  ];
  const find = <T>(key: ServiceKey<T>) => services.find((service) => service.key === key)?.service as T | undefined;
  const parts = new AsyncDisposableStack();
  const setUpModule = (module: AgentModule): void => {
    // Neither module uses the core.
    const lookups = { services: { find, get: <T>(key: ServiceKey<T>) => find(key)! }, collections: { of: () => [] } };
    const made = module.setup({ ...ports, ...lookups, core: {} as AgentCore })!;
    services.push(...(made.services ?? []));
    parts.defer(() => made[Symbol.asyncDispose]?.());
  };
  setUpModule(imageCredentials());
  setUpModule(imageManagement());
  const ensure = (name: string, pullSecretNames: readonly string[], pullPolicy = 'IfNotPresent') =>
    find(imageEnsurer)!.ensureImageExists({
      pod: testPod({ name, spec: { imagePullSecrets: pullSecretNames.map((secret) => ({ name: secret })) } }),
      container: 'app',
      fieldPath: 'spec.containers{app}',
      image,
      pullPolicy,
      sandboxConfig: create(PodSandboxConfigSchema),
      runtimeHandler: '',
    });
  return { fake, memory, events, ensure, parts };
}

const pullSecret = (dockerConfig: string): Secret => ({
  metadata: { name: 'regcred', namespace: 'default', uid: 'uid-1' },
  type: 'kubernetes.io/dockerconfigjson',
  data: { '.dockerconfigjson': Buffer.from(dockerConfig).toString('base64') },
});

it('pulls with a pull secret, records it on disk, and requires it from the next pod', async () => {
  const account = { username: 'me', password: 'correct-horse' };
  const auths = { 'registry.example:5000/team': account };
  const { fake, memory, ensure, parts } = setUp(
    { credentials: [account] },
    {
      regcred: pullSecret(JSON.stringify({ auths })),
    },
  );
  await using _ = parts;
  const { imageRef } = await ensure('owner', ['regcred']);
  const paths = memory.paths();
  expect(paths).toHaveLength(1);
  expect(paths[0]).toMatch(new RegExp(`^${records}/pulled/sha256-`));
  const text = memory.text(paths[0]!)!;
  expect(JSON.parse(text)).toMatchObject({
    imageRef,
    credentialMapping: {
      'registry.example:5000/team/app': {
        kubernetesSecrets: [{ uid: 'uid-1', namespace: 'default', name: 'regcred' }],
      },
    },
  });
  expect(text).not.toContain('correct-horse');
  expect(await ensure('owner', ['regcred'])).toMatchObject({ imageRef });
  await expect(ensure('stranger', [])).rejects.toMatchObject({ reason: 'ErrImagePull' });
  expect(fake.calls.get('pullImage')).toBe(2);
});

it('rejects a pull with a secret that does not parse', async () => {
  const { fake, events, ensure, parts } = setUp({}, { regcred: pullSecret('half a JSON') });
  await using _ = parts;
  await expect(ensure('web', ['regcred'], 'Always')).rejects.toMatchObject({
    name: 'ImageError',
    reason: 'ErrImagePull',
    message: expect.stringMatching(/^image pull secret default\/regcred: /) as string,
  });
  expect(fake.calls.get('pullImage') ?? 0).toBe(0);
  await ensure('other', [], 'Always');
  expect(events.list().map(({ reason }) => reason)).toEqual(['Pulling', 'Pulled']);
});
