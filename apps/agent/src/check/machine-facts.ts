/** Facts about a machine that decide whether it is fit to be a node. A fact that cannot be read is `undefined`. */
export interface MachineFacts {
  readonly nowMs: number;
  readonly userId: number;
  /** As of `uname -r`. */
  readonly kernelRelease: string;
  /** Values of kernel parameters by their names, such as `net.ipv4.ip_forward`. */
  readonly sysctls: Readonly<Record<string, string | undefined>>;
  /** Text of `/proc/filesystems`. */
  readonly fileSystems: string | undefined;
  readonly cgroups:
    { readonly version: 1 | 2; readonly controllers: readonly string[]; readonly isReadOnly: boolean } | undefined;
  readonly isSwapOn: boolean | undefined;
  readonly runtime: RuntimeFacts;
  /** Ports that the agent would open. */
  readonly ports: readonly PortFacts[];
  readonly clock: ClockFacts;
  readonly certificates: readonly CertificateFacts[];
  readonly disk: { readonly path: string; readonly availableBytes: number; readonly capacityBytes: number } | undefined;
  /** Whether an agent already runs with the root directory. */
  readonly isAgentRunning: boolean;
  /** Programs that the agent executes and that `PATH` lacks. */
  readonly missingPrograms: readonly string[];
}

/** Facts about the container runtime. */
export type RuntimeFacts =
  | { readonly kind: 'unavailable'; readonly message: string }
  | {
      readonly kind: 'available';
      readonly name: string;
      readonly version: string;
      /** Conditions such as `RuntimeReady` and `NetworkReady`. */
      readonly conditions: readonly { readonly type: string; readonly status: boolean; readonly message: string }[];
      /** Names of the files in the folder of CNI configurations; `undefined` if there is no such folder. */
      readonly cniConfigurations: readonly string[] | undefined;
    };

/** A port and why it cannot be listened on. */
export interface PortFacts {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  /** Code of the system, such as `EADDRINUSE`; absent when it is free. */
  readonly problem: string | undefined;
}

/** Facts about the clock of the machine. */
export interface ClockFacts {
  /** Time before which the clock is certainly wrong: that of the files of the program. */
  readonly earliestMs: number;
  readonly isSynchronized: boolean | undefined;
}

/** A certificate that the agent uses. */
export interface CertificateFacts {
  readonly path: string;
  readonly purpose: string;
  readonly validity: { readonly fromMs: number; readonly toMs: number } | { readonly problem: string };
}

/** Choices of the configuration that decide what a machine must have. */
export interface NodeNeeds {
  /** Whether the agent runs on the embedded runtime, which uses nothing of the machine. */
  readonly isTrial: boolean;
  readonly failSwapOn: boolean;
  readonly failCgroupV1: boolean;
  readonly isInCluster: boolean;
}
