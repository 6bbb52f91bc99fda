import type { ColorChoice } from '../output/colors.ts';

/** Flags of the program that the kubelet does not have, besides the settings of modules; those with a value are in {@link VALUE_FLAGS}. */
const SWITCHES: ReadonlySet<string> = new Set([
  '--fake-runtime',
  '--docker',
  '--restrict-oom-score-adj',
  '--legacy-kubelet-defaults',
  '--ui',
  '--check',
]);
const VALUE_FLAGS: ReadonlySet<string> = new Set([
  '--docker-endpoint',
  '--docker-sandbox-image',
  '--cni-conf-dir',
  '--cni-bin-dir',
  '--color',
]);

/** Flags of the program that the kubelet does not have. */
export interface OwnFlags {
  /** Whether the agent runs on the embedded in-memory runtime. */
  readonly fakeRuntime?: boolean;
  /** Whether the agent runs pods on Docker itself. */
  readonly docker?: boolean;
  /** Address of Docker's socket. */
  readonly dockerEndpoint?: string;
  readonly dockerSandboxImage?: string;
  readonly cniConfDir?: string;
  /** Folders of CNI plugins, separated by commas. */
  readonly cniBinDir?: string;
  /** Whether no OOM score adjustment below the agent's own is set. */
  readonly restrictOomScoreAdj?: boolean;
  /** Whether the kubelet's defaults without a configuration file apply, which let in everybody. */
  readonly legacyKubeletDefaults?: boolean;
  /** Whether the machine is checked before the agent starts. */
  readonly check?: boolean;
  /** Whether the live table is coloured. */
  readonly color?: ColorChoice;
  /** Whether the agent serves its page, to try things out. */
  readonly ui?: boolean;
}

/** Returns the arguments that are the kubelet's or settings of modules. */
export function withoutOwnFlags(args: readonly string[]): string[] {
  const rest: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index]!;
    if (VALUE_FLAGS.has(arg)) index += 1;
    else if (!SWITCHES.has(arg) && !VALUE_FLAGS.has(arg.split('=', 1)[0]!)) rest.push(arg);
  }
  return rest;
}
