import { type AgentModule, contribute, type DebugSection, debugSections } from '@rxlet/agent-api';
import { podSources } from '@rxlet/agent-api/sources';
import { createModuleContext } from '@rxlet/agent-api/testing';
import { abortable } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import type { RuntimeService } from '@rxlet/cri-api';
import { createManualSource } from '@rxlet/pod-config';
import { expect, it } from 'vitest';
import type { Agent } from './agent.ts';
import { createAgent } from './create-agent.ts';

function setUp(modules: readonly AgentModule[], runtime: Partial<RuntimeService> = {}) {
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const context = createModuleContext({ runtime });
  const create = (): Promise<Agent> =>
    createAgent(
      {
        runtime: context.runtime,
        images: context.images,
        files: context.files,
        hostFiles: context.hostFiles,
        node: { rootDirectory: '/root', podLogsDirectory: '/logs', memoryCapacityBytes: 1n << 30n },
        hints: [],
        clock,
        logger,
      },
      modules,
    );
  return { create, clock, logger };
}

it('stops while a module starts', async () => {
  const slow: AgentModule = {
    name: 'slow',
    setup: () => ({
      start: (signal) => abortable(new Promise<never>(() => undefined), signal),
    }),
  };
  const agent = await setUp([slow]).create();
  const outcome = agent.start().catch(String);
  await agent[Symbol.asyncDispose]();
  expect(await outcome).toBe('LifetimeEnded: stopped');
});

it('logs why its pod sources cannot be started', async () => {
  const broken = createManualSource('broken');
  const source = {
    ...broken,
    start() {
      throw new Error('too many open files');
    },
  };
  const { create, clock, logger } = setUp(
    [{ name: 'broken', setup: () => ({ contributions: [contribute(podSources, source)] }) }],
    {
      version: () =>
        Promise.resolve({ version: '0.1.0', runtimeName: 'fake', runtimeVersion: '1', runtimeApiVersion: 'v1' }),
      listPodSandbox: () => Promise.resolve({ items: [] }),
      listContainers: () => Promise.resolve({ containers: [] }),
      status: () => Promise.reject(new Error('no answer')),
    },
  );
  await using agent = await create();
  await agent.start();
  await clock.advance(2_000);
  expect(logger.lines).toContainEqual(
    expect.objectContaining({
      level: 'error',
      message: 'cannot start the pod sources',
      fields: { error: 'too many open files' },
    }),
  );
});

it('shows debug sections that are instances of classes', async () => {
  class Counter implements DebugSection {
    readonly name = 'counter';
    readonly count = 3;
    inspect(): unknown {
      return this.count;
    }
  }
  const module = { name: 'counter', setup: () => ({ contributions: [contribute(debugSections, new Counter())] }) };
  await using agent = await setUp([module]).create();
  expect(agent.debugState()).toMatchObject({ counter: 3 });
});
