import type { AgentCore } from './agent-core.ts';
import type { CollectionKey, CollectionLookup, Contribution } from './collection-key.ts';
import type { CorePorts } from './core-ports.ts';
import type { ProvidedService, ServiceKey, ServiceLookup } from './service-key.ts';

/**
 * One capability of a node agent, such as probes or volumes. A package offers a module, an assembler lists it, and the agent's host sets it up. Modules
 * know each other only by service keys.
 */
export interface AgentModule {
  /** Unique within an agent; appears in error messages and in the debug state. */
  readonly name: string;
  /** Services of other modules that this one cannot work without. Their providers are set up first. */
  readonly needs?: readonly ServiceKey<unknown>[];
  /** Services that this module uses when some module provides them. Their providers are set up first. */
  readonly uses?: readonly ServiceKey<unknown>[];
  /** Services that this module provides; `setup` must return each of them. */
  readonly provides?: readonly ServiceKey<unknown>[];
  /** Collections whose contributions this module runs. Several modules may run one collection. */
  readonly collects?: readonly CollectionKey<unknown>[];
  /** Creates the module's parts. It must do no I/O and start nothing. A throw fails the creation of the agent, which disposes of what was made before. */
  setup(context: ModuleContext): ModuleParts | undefined;
}

/** Dependencies that the host passes to a module's set-up. */
export interface ModuleContext extends CorePorts {
  readonly services: ServiceLookup;
  readonly collections: CollectionLookup;
  /** The agent's core. Its members must not be called before the module is started. */
  readonly core: AgentCore;
}

/** Result of a module's set-up: services for other modules, contributions to collections, and a life of its own. */
export interface ModuleParts extends Partial<AsyncDisposable> {
  readonly services?: readonly ProvidedService[];
  /** Contributions to collections of the core and of other modules. */
  readonly contributions?: readonly Contribution[];
  /**
   * Starts the module. Modules start one after the other, providers before users, and all of them before the core. A rejection fails the start of the agent.
   * The signal aborts when the agent is disposed of.
   */
  start?(signal: AbortSignal): void | Promise<void>;
}
