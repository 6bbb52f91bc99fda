import { noopLogger, seededRandom } from '@rxlet/component-base';
import { noopEventRecorder } from '@rxlet/component-base/events';
import { noopMetrics } from '@rxlet/component-base/metrics';
import { createVirtualClock } from '@rxlet/component-base/testing';
import type { ImageService, RuntimeService } from '@rxlet/cri-api';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import type { AgentCore } from '../agent-core.ts';
import type { ModuleContext } from '../agent-module.ts';
import type { Contribution } from '../collection-key.ts';
import { noopJournal } from '../journal/journal.ts';
import type { ProvidedService } from '../service-key.ts';

/** Members of a context that a test gives. */
export interface ModuleContextOptions extends Partial<
  Omit<ModuleContext, 'core' | 'runtime' | 'images' | 'services' | 'collections'>
> {
  readonly core?: Partial<AgentCore>;
  readonly runtime?: Partial<RuntimeService>;
  readonly images?: Partial<ImageService>;
  /** Services of other modules. */
  readonly services?: readonly ProvidedService[];
  /** Contributions to the collections that the module runs. */
  readonly contributions?: readonly Contribution[];
}

/**
 * Creates the context of a module for tests of its `setup`, without an agent: a virtual clock, files in memory, and otherwise what the test gives. A call of a
 * member that it does not give throws a TypeError with the name.
 *
 * @example
 * ```ts
 * import { type AgentModule, contribute, debugSections } from '@rxlet/agent-api';
 * import { contributionsTo, createModuleContext } from '@rxlet/agent-api/testing';
 *
 * const counter: AgentModule = {
 *   name: 'counter',
 *   setup: ({ core }) => ({
 *     contributions: [contribute(debugSections, { name: 'counter', inspect: () => core.activePods().length })],
 *   }),
 * };
 * const parts = counter.setup(createModuleContext({ core: { activePods: () => [{}, {}] } }));
 * console.log(contributionsTo(parts, debugSections).map((section) => section.inspect())); // [ 2 ]
 * ```
 */
export function createModuleContext(given: ModuleContextOptions = {}): ModuleContext {
  const { core = {}, runtime = {}, images = {}, services = [], contributions = [], ...others } = given;
  const memory = createMemoryFiles();
  return {
    files: memory.nodeFiles,
    hostFiles: memory.hostFiles,
    clock: createVirtualClock(),
    random: seededRandom(1),
    logger: noopLogger,
    metrics: noopMetrics,
    events: noopEventRecorder,
    journal: noopJournal,
    node: { name: 'node1', rootDirectory: '/root', podLogsDirectory: '/logs', ips: ['192.0.2.1'] },
    ...others,
    core: onlyGiven('core', core),
    runtime: onlyGiven('runtime', runtime),
    images: onlyGiven('images', images),
    services: {
      get(key) {
        const found = services.find((provided) => provided.key === key);
        if (found === undefined) throw new TypeError(`the test provides no service "${key.name}"`);
        return found.service as never;
      },
      find: (key) => services.find((provided) => provided.key === key)?.service as never,
    },
    collections: {
      of: (key) => contributions.filter((each) => each.key === key).flatMap(({ items }) => items as never[]),
    },
  };
}

/** Returns a port whose missing members throw when they are read. */
function onlyGiven<T extends object>(port: string, members: Partial<T>): T {
  return new Proxy(members, {
    get(target, name, receiver) {
      if (!(name in target)) throw new TypeError(`the test gives no "${port}.${String(name)}"`);
      return Reflect.get(target, name, receiver) as unknown;
    },
  }) as T;
}
