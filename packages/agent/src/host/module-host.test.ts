import {
  type AgentCore,
  type AgentModule,
  collectionKey,
  contribute,
  type Contribution,
  type CorePorts,
  type ModuleContext,
  type ModuleParts,
  type PodStep,
  podSteps,
  provide,
  serviceKey,
} from '@rxlet/agent-api';
import { httpEndpoints } from '@rxlet/agent-api/http';
import { noopLogger } from '@rxlet/component-base';
import { describe, expect, it } from 'vitest';
import { createModuleHost, type ModuleHost } from './module-host.ts';

const text = serviceKey<string>('text');
const number = serviceKey<number>('number');
// The host names the logger, and passes the other ports and the core on without using them.
const ports = { logger: noopLogger } as CorePorts;
const core = {} as AgentCore;

async function setUp(...modules: readonly AgentModule[]): Promise<ModuleHost> {
  const host = createModuleHost(modules, [podSteps]);
  await host.setUp({ ports, core });
  return host;
}

/** A module that records its life. */
function recorded(log: string[], module: Partial<AgentModule> & { readonly name: string }): AgentModule {
  const { name } = module;
  return {
    ...module,
    setup(context) {
      log.push(`set up ${name}`);
      return {
        ...module.setup?.(context),
        start: () => void log.push(`start ${name}`),
        async [Symbol.asyncDispose]() {
          log.push(`dispose ${name}`);
        },
      };
    },
  };
}

const providing = (name: string, log: string[] = []): AgentModule =>
  recorded(log, { name, provides: [text], setup: () => ({ services: [provide(text, `text of ${name}`)] }) });

describe('module host', () => {
  it('sets up and starts providers before users, and disposes of them in reverse', async () => {
    const log: string[] = [];
    const host = await setUp(
      recorded(log, { name: 'reader', needs: [text] }),
      recorded(log, { name: 'guest', uses: [text] }),
      providing('writer', log),
      recorded(log, { name: 'other' }),
    );
    await host.start();
    await host[Symbol.asyncDispose]();
    const order = ['writer', 'reader', 'guest', 'other'];
    expect(log).toEqual([
      ...order.map((name) => `set up ${name}`),
      ...order.map((name) => `start ${name}`),
      ...order.toReversed().map((name) => `dispose ${name}`),
    ]);
  });

  it('hands services to the modules that declare them', async () => {
    const seen: unknown[] = [];
    await using host = await setUp(providing('writer'), {
      name: 'reader',
      needs: [text],
      uses: [number],
      setup({ services }) {
        seen.push(services.get(text), services.find(number));
        return undefined;
      },
    });
    expect(seen).toEqual(['text of writer', undefined]);
    expect(host.find(text)).toBe('text of writer');
  });

  it('rejects a request for a service that the module did not declare', async () => {
    const foreignRunner: AgentModule = {
      name: 'sneaky',
      setup({ services }) {
        services.find(text);
        return undefined;
      },
    };
    await expect(setUp(providing('writer'), foreignRunner)).rejects.toThrow(
      'module "sneaky" requests the service "text" without listing it in needs or uses',
    );
  });

  it('hands the contributions of all modules to the module that runs their collection', async () => {
    const numbers = collectionKey<number>('numbers');
    let collected: readonly number[] = [];
    const adder: AgentModule = {
      name: 'adder',
      collects: [numbers],
      setup({ collections }) {
        collected = collections.of(numbers);
        return { contributions: [contribute(numbers, 1)] };
      },
    };
    const later: AgentModule = { name: 'later', setup: () => ({ contributions: [contribute(numbers, 2, 3)] }) };
    await using host = await setUp(adder, later);
    expect(collected).toEqual([1, 2, 3]);
    expect(host.contributions(numbers)).toEqual([1, 2, 3]);
  });

  it('rejects a call of the core during the set-up, and passes it on later', async () => {
    const modules = [
      {
        name: 'early',
        setup: ({ core: { sourcesReady } }: ModuleContext) => ({
          services: [provide(text, String(sourcesReady()))],
        }),
      },
      {
        name: 'later',
        setup: (context: ModuleContext) => ({ start: () => void seen.push(context.core.sourcesReady()) }),
      },
    ];
    const seen: boolean[] = [];
    const context = { ports, core: { sourcesReady: () => true } as AgentCore };
    await expect(createModuleHost(modules.slice(0, 1), []).setUp(context)).rejects.toThrow(
      'module "early" called core.sourcesReady during its set-up; call it from start or later',
    );
    await using host = createModuleHost(modules.slice(1), []);
    await host.setUp(context);
    await host.start();
    expect(seen).toEqual([true]);
  });

  it('accepts contributions that are instances of a class', async () => {
    class Disk implements PodStep {
      readonly name = 'disk';
      readonly sizeBytes = 1;
    }
    await using host = await setUp({
      name: 'class',
      setup: () => ({ contributions: [contribute(podSteps, new Disk())] }),
    });
    expect(host.contributions(podSteps)).toHaveLength(1);
  });

  it('rejects a request for a collection that the module did not declare', async () => {
    const foreignRunner: AgentModule = {
      name: 'sneaky',
      setup({ collections }) {
        collections.of(podSteps);
        return undefined;
      },
    };
    await expect(setUp(foreignRunner)).rejects.toThrow(
      'module "sneaky" reads the collection "pod steps" without listing it in collects',
    );
  });

  it('drops contributions to an optional collection that no module runs', async () => {
    const show = collectionKey<number>('panels', { isOptional: true });
    await using host = await setUp({ name: 'shown', setup: () => ({ contributions: [contribute(show, 1)] }) });
    await host.start();
  });

  it.each<[string, readonly AgentModule[], string, string]>([
    [
      'contributions that no module runs',
      [{ name: 'kind', setup: () => ({ contributions: [contribute(collectionKey<string>('volume kinds'), 'a')] }) }],
      'MissingCollection',
      'cannot set up module "kind": it contributes to the collection "volume kinds", which no module runs',
    ],
    [
      'a part that no agent knows',
      [{ name: 'old', setup: () => ({ podStep: [] }) as ModuleParts }],
      'UnknownContribution',
      'cannot set up module "old": its set-up returns "podStep", which no agent knows',
    ],
    [
      'a member of a step that does not exist',
      [
        {
          name: 'typo',
          setup: () => ({
            contributions: [contribute(podSteps, { name: 'disk', teardown: () => undefined } as PodStep)],
          }),
        },
      ],
      'UnknownContribution',
      'cannot set up module "typo": unknown member "teardown" in a contribution to "pod steps"; there are name, prepare,',
    ],
    [
      'a contribution without a collection',
      [{ name: 'untyped', setup: () => ({ contributions: [{ items: [1] } as unknown as Contribution] }) }],
      'UnknownContribution',
      'cannot set up module "untyped": one of its contributions has no collection',
    ],
    [
      'a missing service',
      [{ name: 'reader', needs: [text], setup: () => undefined }],
      'MissingService',
      'cannot set up module "reader": it needs the service "text", which no module provides; add a module that does',
    ],
    [
      'a circle',
      [
        { name: 'a', needs: [number], provides: [text], setup: () => undefined },
        { name: 'b', uses: [text], provides: [number], setup: () => undefined },
      ],
      'CyclicNeeds',
      'cannot order the modules: "a" needs "b" needs "a"; break the circle with a smaller service',
    ],
    ['two modules of one name', [providing('a'), providing('a')], 'DuplicateModule', 'two of them are named "a"'],
    [
      'two providers',
      [providing('a'), providing('b')],
      'DuplicateService',
      '"a" and "b" both provide the service "text"',
    ],
    [
      'a service that is declared only',
      [{ name: 'a', provides: [text], setup: () => undefined }],
      'WrongServices',
      'module "a" declares the service "text" but does not return it',
    ],
    [
      'a service that is returned only',
      [{ name: 'a', setup: () => ({ services: [provide(text, 'b')] }) }],
      'WrongServices',
      'module "a" returns the service "text" without declaring it',
    ],
    [
      'two endpoints of one path',
      ['a', 'b'].map((name) => ({
        name,
        setup: () => ({
          contributions: [contribute(httpEndpoints, { path: 'pods', methods: ['GET'], handle: () => ({ body: '' }) })],
        }),
      })),
      'DuplicateContribution',
      'cannot set up module "b": module "a" contributes the endpoint /pods already',
    ],
  ])('reports %s in one error', async (_, modules, reason, message) => {
    const failure: unknown = await setUp(...modules).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      name: 'ModuleError',
      reason,
      message: expect.stringContaining(message) as unknown,
    });
  });

  it('disposes of the modules that were set up before one that fails', async () => {
    const log: string[] = [];
    const broken: AgentModule = {
      name: 'broken',
      setup() {
        throw new Error('no such disk');
      },
    };
    await expect(setUp(recorded(log, { name: 'a' }), recorded(log, { name: 'b' }), broken)).rejects.toThrow(
      'no such disk',
    );
    expect(log).toEqual(['set up a', 'set up b', 'dispose b', 'dispose a']);
  });

  it('reports the failure of a set-up together with that of the disposal', async () => {
    const stuck: AgentModule = {
      name: 'stuck',
      setup: () => ({ [Symbol.asyncDispose]: () => Promise.reject(new Error('still busy')) }),
    };
    const broken: AgentModule = {
      name: 'broken',
      setup() {
        throw new Error('no such disk');
      },
    };
    const failure: unknown = await setUp(stuck, broken).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SuppressedError);
    expect((failure as SuppressedError).suppressed).toMatchObject({ message: 'no such disk' });
    expect((failure as SuppressedError).error).toMatchObject({ message: 'still busy' });
  });

  it('starts no further modules after one that fails to start', async () => {
    const log: string[] = [];
    await using host = await setUp(
      { name: 'broken', setup: () => ({ start: () => Promise.reject(new Error('address in use')) }) },
      recorded(log, { name: 'later' }),
    );
    await expect(host.start()).rejects.toThrow('address in use');
    expect(log).toEqual(['set up later']);
  });
});
