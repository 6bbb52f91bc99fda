import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { createTestMachine } from '@rxlet/machine/testing';
import { describe, expect, it } from 'vitest';
import { createNodeInputs, type NodeInputsPorts } from './node-inputs.ts';
import { testNodeInputs, testNodeSettings } from './test-support.ts';

const { signal } = new AbortController();

function setUp(more: Partial<NodeInputsPorts> = {}) {
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const calls = { facts: 0, images: 0, version: 0 };
  const broken = { facts: false, version: false, images: false };
  const counted = (name: keyof typeof calls): void => void (calls[name] += 1);
  const machine = createTestMachine({ facts: testNodeInputs.machine, fileSystemBytes: 1000 });
  const inputs = createNodeInputs(
    {
      machine: {
        ...machine,
        async facts() {
          counted('facts');
          if (broken.facts) throw new Error('no /proc');
          return machine.facts();
        },
      },
      runtime: {
        version() {
          counted('version');
          if (broken.version) return new Promise(() => undefined);
          return Promise.resolve({ runtimeName: 'containerd', runtimeVersion: '2.0.2' } as never);
        },
      },
      images: {
        async listImages() {
          counted('images');
          if (broken.images) throw new Error('busy');
          return { images: [{ id: 'i' }] } as never;
        },
      },
      health: { problems: () => [], handlers: () => [], features: () => undefined },
      setters: () => [],
      clock,
      logger,
      ...more,
    },
    {
      settings: testNodeSettings,
      rootDirectory: '/root',
      reservations: { kubeReserved: { cpu: '250m', memory: '1Gi' } },
    },
  );
  return { clock, logger, calls, broken, inputs };
}

describe('createNodeInputs', () => {
  it('reads the machine every five minutes and the images every thirty seconds', async () => {
    const { clock, calls, inputs } = setUp();
    for (let count = 0; count < 60; count += 1) {
      await inputs.read({}, signal);
      await clock.advance(10_000);
    }
    expect(calls).toEqual({ facts: 2, images: 20, version: 60 });
  });

  it('does without a runtime that hangs, and keeps its name', async () => {
    const { clock, broken, inputs } = setUp();
    await inputs.read({}, signal);
    broken.version = true;
    const reading = inputs.read({}, signal);
    await clock.advance(5_000);
    expect((await reading).runtime).toMatchObject({ name: 'containerd', version: undefined });
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps what it has read when a later reading fails, and logs the failure once', async () => {
    const { clock, broken, inputs, logger, calls } = setUp();
    await inputs.read({}, signal);
    broken.facts = true;
    await clock.advance(300_000);
    for (let count = 0; count < 3; count += 1) expect((await inputs.read({}, signal)).machine?.cores).toBe(2);
    expect(calls.facts).toBe(4);
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { error: 'no /proc' } }]);
  });

  it('says that the machine cannot be read when it never could', async () => {
    const { broken, inputs } = setUp();
    broken.facts = true;
    broken.images = true;
    expect(await inputs.read({}, signal)).toMatchObject({ machine: undefined, images: undefined, reservation: {} });
  });

  it('reserves what the configuration says', async () => {
    const { inputs } = setUp();
    expect((await inputs.read({}, signal)).reservation).toEqual({ cpu: '250m', memory: '1Gi' });
  });

  it('adds the devices of plugins to the resources of the node', async () => {
    const devices = {
      amounts: () => ({
        capacity: { 'example.com/gpu': '2' },
        allocatable: { 'example.com/gpu': '1' },
        removed: ['a.b/c'],
      }),
    };
    const { inputs } = setUp({ devices });
    expect((await inputs.read({}, signal)).devices).toEqual(devices.amounts());
  });

  it('ends with its signal', async () => {
    const { broken, inputs, clock } = setUp();
    broken.version = true;
    const life = new AbortController();
    const reading = expect(inputs.read({}, life.signal)).rejects.toThrow('enough');
    life.abort(new Error('enough'));
    await reading;
    expect(clock.pendingTimers).toBe(0);
  });
});
