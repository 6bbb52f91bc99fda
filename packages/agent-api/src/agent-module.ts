import type { AgentCore } from './agent-core.ts';
import type { CorePorts } from './core-ports.ts';
import type { ExtensionPoints } from './extension-points.ts';
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
  /** Creates the module's parts. It must do no I/O and start nothing. A throw fails the creation of the agent, which disposes of what was made before. */
  setup(context: ModuleContext): ModuleParts | undefined;
}

/** Surroundings of a module while it is set up. */
export interface ModuleContext extends CorePorts {
  readonly services: ServiceLookup;
  /** The agent's core. Its members must not be called before the module is started. */
  readonly core: AgentCore;
}

/** Result of a module's set-up: contributions to extension points, services for other modules, and a life of its own. */
export interface ModuleParts extends Partial<ExtensionPoints>, Partial<AsyncDisposable> {
  readonly services?: readonly ProvidedService[];
  /**
   * Starts the module. Modules start one after the other, providers before users, and all of them before the core. A rejection fails the start of the agent.
   * The signal aborts when the agent is disposed of.
   */
  start?(signal: AbortSignal): void | Promise<void>;
}
