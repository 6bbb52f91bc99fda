import type { FeatureGates, KubeletConfiguration, KubeletField } from '@rxlet/component-base/kubelet-configuration';
import type { HostFiles } from '@rxlet/node-files';
import type { AgentModule } from '../agent-module.ts';
import type { KubeClients } from '@rxlet/kube-api/client';
import type { Setting, SettingLookup } from './setting.ts';

/**
 * Describes what the configuration of a node means for one module: the fields, flags and settings that take effect by it, and its options. A package exports one for
 * each of its modules from the subpath `./configuration`, and a preset lists it.
 */
export type ModuleConfiguration<Options = unknown> = ModuleOfAgents<Options> | ModuleOfClusterNodes<Options>;

/** A module of standalone agents, or of every agent. */
export interface ModuleOfAgents<Options> extends ConfigurationOfModule<Options> {
  /** Agents that have the module. Default: every agent. */
  readonly agents?: 'standalone' | undefined;
  /** Creates the module. */
  module(options: Options): AgentModule;
}

/** A module of agents that are nodes of a cluster. */
export interface ModuleOfClusterNodes<Options> extends ConfigurationOfModule<Options> {
  readonly agents: 'cluster';
  /** Creates the module. The clients belong to the caller, who disposes of their connections after the agent. */
  module(options: Options, clients: KubeClients): AgentModule;
}

/** Members that every {@link ModuleConfiguration} has. */
export interface ConfigurationOfModule<Options> {
  /** Name of the module. */
  readonly name: string;
  /** Fields of KubeletConfiguration that take effect by the module. */
  readonly fields?: readonly KubeletField[];
  /** Fields that the module applies while the agent runs; see `reconfigurations`. Default: none, they need a restart. */
  readonly reloadableFields?: readonly KubeletField[];
  /** Flags of the kubelet that are no fields and take effect by the module, without dashes in front. */
  readonly flags?: readonly string[];
  /** Feature gates that switch something of the module. */
  readonly gates?: readonly string[];
  /** Fields and flags of the kubelet in the module's field that have no effect, with the reason. */
  readonly withoutEffect?: Readonly<Partial<Record<KubeletField | (string & {}), string>>>;
  /** Options of the module that a kubelet does not have. */
  readonly settings?: readonly Setting<unknown>[];
  /** Flags of the kubelet that `--help` of a program lists. It lists settings by themselves. */
  readonly help?: readonly FlagHelp[];
  /** Name of a module whose place this one takes. */
  readonly replaces?: string;
  /** Options in a preset without a configuration. Default: such a preset does not have the module. */
  readonly defaults?: Options;
  /**
   * Returns the options of the module; `undefined` when the configuration switches it off. Default: {@link defaults}.
   *
   * @throws KubeletConfigurationError for values that cannot be used
   */
  options?(node: NodeConfiguration): Options | undefined | Promise<Options | undefined>;
}

/** A flag of the kubelet in `--help`. */
export interface FlagHelp {
  /** The flag without dashes in front. */
  readonly flag: string;
  /** Name of its value; absent for a switch. */
  readonly argument?: string;
  readonly text: string;
}

/** Configuration of a node, from which modules take their options. */
export interface NodeConfiguration {
  /** File, drop-ins and flags together, with the kubelet's defaults. */
  readonly configuration: KubeletConfiguration;
  readonly gates: FeatureGates;
  /** Values by flag, including the flags that are no fields of the configuration. */
  readonly flags: ReadonlyMap<string, unknown>;
  /** Options that a kubelet does not have. */
  readonly settings: SettingLookup;
  /** Facts of the machine. */
  readonly facts: MachineFacts;
  /** Files that the configuration refers to. */
  readonly hostFiles: HostFiles;
  readonly workingDirectory?: string | undefined;
  readonly homeDirectory?: string | undefined;
}

/** Facts of the machine on which the meaning of a configuration depends. */
export interface MachineFacts {
  /** Whether the machine's cgroups account for swap. */
  readonly swapAccounting: boolean;
  /** Swap of the machine; `undefined` when it is not known. */
  readonly swap?: { readonly capacityBytes: bigint } | undefined;
}
