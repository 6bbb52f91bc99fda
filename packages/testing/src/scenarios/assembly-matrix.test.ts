import { createMemoryCgroups } from '@rxlet/container-manager/testing';
import { createAgent, defaultParts } from '@rxlet/agent';
import type { AgentModule } from '@rxlet/agent-api';
import { createFakeRuntime } from '@rxlet/fake-cri';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { createManualSource } from '@rxlet/pod-config';
import { manifestPod } from '@rxlet/pod-model/testing';
import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { contributing, testModules } from '../test-modules.ts';
import { createTestNode } from '../test-node.ts';

const moduleNames = (() => {
  const clock = createVirtualClock();
  const fake = createFakeRuntime({ clock, random: seededRandom(1) });
  return testModules(
    { fake, files: createMemoryFiles(), cgroups: createMemoryCgroups() },
    createManualSource('file'),
  ).map(({ name }) => name);
})();
/** Modules whose services another module needs. */
const PROVIDERS: ReadonlySet<string> = new Set(['node-plugins', 'topology-manager']);
/** Modules without which there are no pods, or that another module needs. */
const NEEDED: ReadonlySet<string> = new Set(['pods-from-file', ...PROVIDERS]);
const partNames = Object.keys(defaultParts) as (keyof typeof defaultParts)[];

/** Pods that need one module each, and the module. */
const demanding: Readonly<Record<string, ReturnType<typeof manifestPod>>> = {
  probes: manifestPod('probed', {
    containers: [{ name: 'app', image: 'app:1', readinessProbe: { tcpSocket: { port: 80 } } }],
  }),
  'lifecycle-hooks': manifestPod('hooked', {
    containers: [{ name: 'app', image: 'app:1', lifecycle: { postStart: { sleep: { seconds: 1 } } } }],
  }),
  'active-deadlines': manifestPod('limited', { activeDeadlineSeconds: 60 }),
};

describe('an agent', () => {
  it.each(moduleNames.filter((name) => !NEEDED.has(name)))(
    'runs and terminates pods without module %s',
    async (name) => {
      await using node = createTestNode();
      await node.fake.images.pullImage({ image: { image: 'registry.example/app:1' } });
      await node.start({ without: [name] });
      node.desire(manifestPod('web'));
      await node.until(() => node.running().includes('web/app'));
      await node.kill();
      await node.start({ without: [name] });
      await node.advance(60_000);
      expect(node.startsMs('web')).toHaveLength(1);
      node.desire();
      await node.until(() => node.agent().pods.list().length === 0);
      expect(node.running()).toEqual([]);
      await node.expectNoLeaks();
    },
  );

  it.each(Object.entries(demanding))(
    'without module %s rejects a pod that needs it, by the name of the field',
    async (name, pod) => {
      await using node = createTestNode();
      await node.start({ without: [name] });
      node.desire(pod);
      await node.advance(1_000);
      expect(node.agent().pods.list()[0]?.status).toMatchObject({
        phase: 'Failed',
        reason: 'PodFeatureUnsupported',
        message: expect.stringContaining('this node agent does not support spec.') as string,
      });
    },
  );

  it('without image management starts only containers whose images are on the node', async () => {
    await using node = createTestNode();
    await node.start({ without: ['image-management'] });
    node.desire(manifestPod('web'));
    await node.advance(5_000);
    expect(node.agent().pods.list()[0]?.status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe(
      'ErrImageNeverPull',
    );
  });

  it.each(partNames)('runs with a replacement for %s', async (name) => {
    await using node = createTestNode();
    let replaced = 0;
    const create = defaultParts[name] as (...args: readonly unknown[]) => unknown;
    const replacement = (...args: readonly unknown[]): unknown => {
      replaced += 1;
      return create(...args);
    };
    await node.start({ parts: { [name]: replacement } });
    node.desire(manifestPod('web'));
    await node.until(() => node.running().includes('web/app'));
    expect(replaced).toBe(1);
  });

  it('needs no module at all', async () => {
    await using node = createTestNode();
    await node.start({ without: moduleNames });
    await node.advance(60_000);
    expect(node.agent().pods.list()).toEqual([]);
    await node.expectNoLeaks();
  });
});

describe('an agent that cannot be created or started', () => {
  const failing = (name: string, when: 'setup' | 'start'): AgentModule => ({
    name,
    setup() {
      if (when === 'setup') throw new Error('no such disk');
      return { start: () => Promise.reject(new Error('no such disk')) };
    },
  });

  it.each(moduleNames.filter((name) => !PROVIDERS.has(name)))(
    'leaves nothing behind when the set-up of %s throws',
    async (name) => {
      await using node = createTestNode();
      await expect(node.start({ modules: [failing(name, 'setup')] })).rejects.toThrow('no such disk');
      await node.expectNoLeaks();
    },
  );

  it.each(partNames)('leaves nothing behind when %s throws', async (name) => {
    await using node = createTestNode();
    const broken = (): never => {
      throw new Error('no such disk');
    };
    await expect(node.start({ parts: { [name]: broken } })).rejects.toThrow('no such disk');
    await node.expectNoLeaks();
  });

  it('leaves nothing behind when a module does not start', async () => {
    await using node = createTestNode();
    await expect(node.start({ modules: [failing('late', 'start')] })).rejects.toThrow('no such disk');
    await node.expectNoLeaks();
  });

  it('leaves nothing behind when the runtime does not answer', async () => {
    await using node = createTestNode();
    node.fake.setFailpoint('version', 'error(unavailable: no runtime)');
    await expect(node.start()).rejects.toThrow('no runtime');
    await node.expectNoLeaks();
  });

  it('does no I/O before it is started', async () => {
    const clock = createVirtualClock();
    const fake = createFakeRuntime({ clock, random: seededRandom(1) });
    const node = { rootDirectory: '/does-not-exist', podLogsDirectory: '/nor-this', memoryCapacityBytes: 1n << 30n };
    const agent = await createAgent({ runtime: fake.runtime, images: fake.images, node, clock }, [
      ...testModules({ fake, files: createMemoryFiles(), cgroups: createMemoryCgroups() }, createManualSource('file')),
      contributing({}),
    ]);
    expect([...fake.calls]).toEqual([]);
    await agent[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  });
});
