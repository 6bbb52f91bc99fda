import { contributionsTo } from '@rxlet/agent-api/testing';
import { noopJournal } from '@rxlet/agent-api/journal';
import { create } from '@bufbuild/protobuf';
import {
  type AgentCore,
  debugSections,
  type ModuleContext,
  provide,
  type ProvidedService,
  type ServiceKey,
} from '@rxlet/agent-api';
import { imageEnsurer, imageReclaimer, pullCredentials, pullObserver } from '@rxlet/agent-api/images';
import { seededRandom } from '@rxlet/component-base';
import { createEventLog } from '@rxlet/component-base/events';
import { noopMetrics } from '@rxlet/component-base/metrics';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { PodSandboxConfigSchema } from '@rxlet/cri-api';
import { createFakeRuntime, discardLogs, type FakeImage } from '@rxlet/fake-cri';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { imageManagement, type ImageManagementOptions } from './image-management-module.ts';

const image = 'registry.example/app:1';
const GiB = 1024 ** 3;

function setUp(images: readonly FakeImage[], options: ImageManagementOptions = {}, given: ProvidedService[] = []) {
  const clock = createVirtualClock();
  const random = seededRandom(1);
  const fake = createFakeRuntime({ clock, random, logs: discardLogs }, { images });
  const memory = createMemoryFiles({ roots: ['/root'] });
  const find = <T>(key: ServiceKey<T>) => given.find((service) => service.key === key)?.service as T | undefined;
  const context: ModuleContext = {
    runtime: fake.runtime,
    images: fake.images,
    files: memory.nodeFiles,
    hostFiles: memory.hostFiles,
    clock,
    random,
    logger: recordingLogger(),
    metrics: noopMetrics,
    journal: noopJournal,
    events: createEventLog(clock),
    node: { name: 'node1', rootDirectory: '/root', podLogsDirectory: '/logs', ips: [] },
    services: { find, get: (key) => find(key)! },
    collections: { of: () => [] },
    // The module does not use the core.
    core: {} as AgentCore,
  };
  const parts = imageManagement({
    readFsStats: async () => ({ capacityBytes: 100 * GiB, availableBytes: 50 * GiB }),
    ...options,
  }).setup(context)!;
  const provided = <T>(key: ServiceKey<T>) => parts.services!.find((service) => service.key === key)!.service as T;
  const ensure = (name = 'web') =>
    provided(imageEnsurer).ensureImageExists({
      pod: testPod({ name }),
      container: 'app',
      fieldPath: 'spec.containers{app}',
      image,
      pullPolicy: 'IfNotPresent',
      sandboxConfig: create(PodSandboxConfigSchema),
      runtimeHandler: '',
    });
  const [debugSection] = contributionsTo(parts, debugSections);
  const inspect = () => debugSection!.inspect();
  return { clock, fake, memory, parts, provided, ensure, debugSection: debugSection!, inspect };
}

describe('image management', () => {
  it('pulls with the credentials and for the observer of other modules, and records the credentials', async () => {
    const log: string[] = [];
    const auth = { username: 'me', password: 'pw', auth: '', serverAddress: '', identityToken: '', registryToken: '' };
    const { memory, ensure } = setUp([{ tags: [image], credentials: [{ username: 'me', password: 'pw' }] }], {}, [
      provide(pullCredentials, {
        async credentialsFor({ repository }) {
          log.push(`credentials for ${repository}`);
          return [{ auth, origin: { kind: 'node' } }];
        },
      }),
      provide(pullObserver, {
        imagePullStarted: () => void log.push('started'),
        imagePullFinished: () => void log.push('finished'),
      }),
    ]);
    await ensure();
    expect(log).toEqual(['credentials for registry.example/app', 'started', 'finished']);
    expect(memory.paths()).toEqual([expect.stringMatching(/^\/root\/image_manager\/pulled\/sha256-/)]);
  });

  it('pulls anonymously without other modules', async () => {
    const { fake, ensure } = setUp([{ tags: [image] }]);
    expect(await ensure()).toMatchObject({ imageRef: fake.snapshot().images[0]!.id });
  });

  it('shows queued and running pulls in the debug state', async () => {
    const { clock, ensure, inspect, debugSection } = setUp([{ tags: [image], pullLatencyMs: 5000 }]);
    expect(debugSection.name).toBe('imagePulls');
    const idle = { depth: 0, oldestAgeMs: 0 };
    expect(inspect()).toEqual({ queued: idle, running: idle, pulls: [] });
    const pulled = ensure();
    await clock.advance(3000);
    expect(inspect()).toMatchObject({
      queued: idle,
      running: { depth: 1, oldestAgeMs: 3000 },
      pulls: [{ image, phase: 'pulling', requests: [{ podUid: 'uid-web', fieldPath: 'spec.containers{app}' }] }],
    });
    await clock.advance(2000);
    await pulled;
    expect(inspect()).toEqual({ queued: idle, running: idle, pulls: [] });
  });

  it('collects unused images from its start until its disposal', async () => {
    let availableBytes = 50 * GiB;
    const { clock, fake, parts } = setUp([{ tags: [image], present: true, sizeBytes: 2 * GiB }], {
      readFsStats: async () => ({ capacityBytes: 100 * GiB, availableBytes }),
    });
    const signal = new AbortController().signal;
    await clock.advance(600_000);
    expect(fake.calls.get('listImages') ?? 0).toBe(0);
    await parts.start!(signal);
    await clock.advance(1000);
    expect(fake.snapshot().images).toHaveLength(1);
    availableBytes = 1 * GiB;
    await clock.advance(300_000);
    expect(fake.snapshot().images).toHaveLength(0);
    await parts[Symbol.asyncDispose]!();
    expect(clock.pendingTimers).toBe(0);
  });

  it('frees disk space on demand', async () => {
    const { clock, fake, provided } = setUp([{ tags: [image], present: true }]);
    await clock.advance(180_000);
    await provided(imageReclaimer).deleteUnusedImages();
    expect(fake.snapshot().images).toEqual([]);
  });

  it('is not set up with options that contradict each other', () => {
    expect(() => setUp([], { maxParallelImagePulls: 2 })).toThrow(RangeError);
  });
});
