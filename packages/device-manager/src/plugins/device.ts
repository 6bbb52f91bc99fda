/** A device as its plugin lists it. */
export interface PluginDevice {
  /** Unique within its resource. */
  readonly id: string;
  readonly isHealthy: boolean;
  /** NUMA nodes of the device; empty when the plugin reports none. */
  readonly numaNodes: readonly number[];
}

/** Abilities of a plugin. */
export interface PluginOptions {
  /** The plugin prepares devices before each start of their container. */
  readonly preStartRequired: boolean;
  /** The plugin prefers some devices to others. */
  readonly preferredAllocationAvailable: boolean;
}
