import type {
  AgentCore,
  AgentModule,
  CorePorts,
  ExtensionPoints,
  ModuleParts,
  ServiceKey,
  ServiceLookup,
} from '@rxlet/agent-api';
import { createLifetime } from '@rxlet/component-base';
import { createContributions } from './contributions.ts';
import { ModuleError } from './module-error.ts';
import { orderModules } from './order-modules.ts';
import { rollBackOnFailure } from './roll-back.ts';

/** The modules of an agent, set up. Disposing it disposes of the modules, users before providers. */
export interface ModuleHost extends AsyncDisposable {
  /** Contributions of all modules. */
  readonly points: ExtensionPoints;
  /** Returns a service of the modules; `undefined` when none provides it. */
  find<T>(key: ServiceKey<T>): T | undefined;
  /** Starts the modules one after the other, providers before users. Rejects with the first failure. */
  start(): Promise<void>;
}

/**
 * Orders modules and sets them up. When one of them fails, those that were set up before are disposed of.
 *
 * @param coreOf creates the core as modules see it, from the extension points that are still being filled
 * @param coreParts contributions and services of the core itself
 * @throws ModuleError when the modules do not fit together; whatever a set-up throws
 */
export async function setUpModules(
  modules: readonly AgentModule[],
  ports: CorePorts,
  coreOf: (points: ExtensionPoints) => AgentCore,
  coreParts: ModuleParts = {},
): Promise<ModuleHost> {
  const ordered = orderModules(
    modules,
    (coreParts.services ?? []).map(({ key }) => key),
  );
  const lifetime = createLifetime();
  const contributions = createContributions();
  const core = coreOf(contributions.points);
  contributions.add('core', coreParts);
  const services = new Map((coreParts.services ?? []).map(({ key, service }) => [key, service]));
  const starts: (() => void | Promise<void>)[] = [];

  const setUp = (module: AgentModule): void => {
    const parts = module.setup({ ...ports, core, services: lookupFor(module, services) }) ?? {};
    // Registered first, so that a module whose contributions are rejected is disposed of as well.
    const { start, [Symbol.asyncDispose]: dispose } = parts;
    if (dispose !== undefined) lifetime.defer(() => dispose.call(parts));
    for (const [key, service] of servicesOf(module, parts)) services.set(key, service);
    contributions.add(module.name, parts);
    if (start !== undefined) starts.push(() => start.call(parts, lifetime.signal));
  };

  await rollBackOnFailure(lifetime, () => ordered.forEach(setUp));

  const startAll = async (): Promise<void> => {
    for (const start of starts) {
      lifetime.signal.throwIfAborted();
      await start();
    }
  };
  return {
    points: contributions.points,
    find: <T>(key: ServiceKey<T>) => services.get(key) as T | undefined,
    start: () => lifetime.track(startAll()),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
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
