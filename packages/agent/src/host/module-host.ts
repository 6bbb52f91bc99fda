import type {
  AgentCore,
  AgentModule,
  CollectionKey,
  CollectionLookup,
  CorePorts,
  ModuleParts,
  ServiceKey,
  ServiceLookup,
} from '@rxlet/agent-api';
import { createLifetime } from '@rxlet/component-base';
import { type Contributions, createContributions } from './contributions.ts';
import { ModuleError } from './module-error.ts';
import { orderModules } from './order-modules.ts';
import { rollBackOnFailure } from './roll-back.ts';

/** The modules of an agent. Disposing it disposes of the modules, users before providers. */
export interface ModuleHost extends AsyncDisposable {
  /** Returns the contributions of the core and of all modules to a collection. The list grows until all modules are set up. */
  readonly contributions: Contributions['of'];
  /** Returns a service of the modules; `undefined` when none provides it, and until its provider is set up. */
  find<T>(key: ServiceKey<T>): T | undefined;
  /**
   * Sets the modules up, providers before users. When one of them fails, those that were set up before are disposed of.
   *
   * @throws ModuleError when the modules do not fit together; whatever a set-up throws
   */
  setUp(context: SetUpContext): Promise<void>;
  /** Starts the modules one after the other, providers before users. Rejects with the first failure. */
  start(): Promise<void>;
}

/** The core for its modules, and its own part of the agent, which the host treats like a module. */
export interface SetUpContext extends Pick<ModuleParts, 'services' | 'contributions'> {
  readonly ports: CorePorts;
  readonly core: AgentCore;
}

/**
 * Creates the host of modules, with empty collections that the modules fill when they are set up.
 *
 * @param collects collections that the core runs
 */
export function createModuleHost(
  modules: readonly AgentModule[],
  collects: readonly CollectionKey<unknown>[],
): ModuleHost {
  const lifetime = createLifetime();
  const contributions = createContributions(new Set([{ collects }, ...modules].flatMap((one) => one.collects ?? [])));
  const services = new Map<ServiceKey<unknown>, unknown>();
  const starts: (() => void | Promise<void>)[] = [];
  let isSetUp = false;

  const setUpModule = (module: AgentModule, { ports, core }: SetUpContext): void => {
    const parts =
      module.setup({
        ...ports,
        logger: ports.logger.child({ logger: module.name }),
        core: guardedCore(core, module, () => isSetUp),
        collections: collectionsOf(module, contributions),
        services: lookupFor(module, services),
      }) ?? {};
    // Registered first, so that a module whose contributions are rejected is disposed of as well.
    const { start, [Symbol.asyncDispose]: dispose } = parts;
    if (dispose !== undefined) lifetime.defer(() => dispose.call(parts));
    for (const [key, service] of servicesOf(module, parts)) services.set(key, service);
    checkParts(module, parts);
    contributions.add(module.name, parts.contributions);
    if (start !== undefined) starts.push(() => start.call(parts, lifetime.signal));
  };

  const startAll = async (): Promise<void> => {
    for (const start of starts) {
      lifetime.signal.throwIfAborted();
      await start();
    }
  };
  return {
    contributions: contributions.of,
    find: <T>(key: ServiceKey<T>) => services.get(key) as T | undefined,
    setUp: (context) =>
      rollBackOnFailure(lifetime, () => {
        for (const { key, service } of context.services ?? []) services.set(key, service);
        const ordered = orderModules(modules, [...services.keys()]);
        contributions.add('core', context.contributions);
        for (const module of ordered) setUpModule(module, context);
        isSetUp = true;
      }),
    start: () => lifetime.track(startAll()),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

/** Returns the core for a module. Its methods throw until all modules are set up, because the core works with what they contribute. */
function guardedCore(core: AgentCore, module: AgentModule, isSetUp: () => boolean): AgentCore {
  const guarded = Object.entries(core).map(([name, member]: [string, unknown]) => {
    if (typeof member !== 'function') return [name, member];
    const call = (...args: readonly unknown[]): unknown => {
      if (isSetUp()) return (member as (...given: readonly unknown[]) => unknown)(...args);
      throw new TypeError(`module "${module.name}" called core.${name} during its set-up; call it from start or later`);
    };
    return [name, call];
  });
  return Object.fromEntries(guarded) as AgentCore;
}

const PART_NAMES: readonly string[] = ['contributions', 'services', 'start'] satisfies readonly (keyof ModuleParts)[];

/** Rejects unknown parts, which a module that is not type-checked may return. @throws ModuleError */
function checkParts({ name }: AgentModule, parts: ModuleParts): void {
  const unknown = Object.keys(parts).find((part) => !PART_NAMES.includes(part));
  if (unknown === undefined) return;
  const message = `cannot set up module "${name}": its set-up returns "${unknown}", which no agent knows; contributions are made with contribute(key, …)`;
  throw new ModuleError('UnknownContribution', message);
}

/** Returns the collections that a module declares, and no others. */
function collectionsOf(module: AgentModule, contributions: Contributions): CollectionLookup {
  return {
    of<T>(key: CollectionKey<T>): readonly T[] {
      if (module.collects?.includes(key) === true) return contributions.of(key);
      throw new TypeError(`module "${module.name}" reads the collection "${key.name}" without listing it in collects`);
    },
  };
}

/** Returns the services that a module declares, and no others. */
function lookupFor(module: AgentModule, services: ReadonlyMap<ServiceKey<unknown>, unknown>): ServiceLookup {
  const declared = new Set([...(module.needs ?? []), ...(module.uses ?? [])]);
  const find = <T>(key: ServiceKey<T>): T | undefined => {
    if (!declared.has(key)) {
      throw new TypeError(
        `module "${module.name}" requests the service "${key.name}" without listing it in needs or uses`,
      );
    }
    return services.get(key) as T | undefined;
  };
  return {
    find,
    get<T>(key: ServiceKey<T>): T {
      if (!(module.needs ?? []).includes(key)) {
        throw new TypeError(`module "${module.name}" relies on the service "${key.name}" without listing it in needs`);
      }
      return find(key) as T;
    },
  };
}

/** Returns the services of a module's parts. @throws ModuleError unless they are those that it declares */
function servicesOf(module: AgentModule, { services = [] }: ModuleParts): ReadonlyMap<ServiceKey<unknown>, unknown> {
  const returned = new Map(services.map(({ key, service }) => [key, service]));
  const declared = new Set(module.provides ?? []);
  for (const { name } of [...declared].filter((key) => !returned.has(key))) {
    throw new ModuleError(
      'WrongServices',
      `module "${module.name}" declares the service "${name}" but does not return it`,
    );
  }
  for (const { name } of [...returned.keys()].filter((key) => !declared.has(key))) {
    throw new ModuleError(
      'WrongServices',
      `module "${module.name}" returns the service "${name}" without declaring it`,
    );
  }
  return returned;
}
