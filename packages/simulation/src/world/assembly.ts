import type { AgentParts } from '@rxlet/agent';
import type { AgentModule } from '@rxlet/agent-api';
import type { FakeLogind } from '@rxlet/node-shutdown/testing';
import type { AgentLife, TestCluster, TestNode } from '@rxlet/testing';

/** The agent that is simulated, as it differs from rxlet's own. */
export interface Assembly {
  /** Modules besides the usual ones; one of the same name replaces it. Called for each life of the agent. */
  readonly modules?: (
    life: AgentLife,
    node: TestNode,
    machine: { readonly logind: FakeLogind },
  ) => readonly AgentModule[];
  /** Returns what takes the place of a module that the plan adds, such as that of device plugins. */
  readonly wrapModule?: (module: AgentModule) => AgentModule;
  /** Names of modules to leave out. */
  readonly without?: readonly string[];
  /** Replacements for parts of the core. */
  readonly parts?: Partial<AgentParts>;
  /** Called once for each run before the first agent starts, to change the ports of the node. */
  readonly prepare?: (node: TestNode, cluster: TestCluster | undefined) => void;
}
