import type { ProviderVariable } from './credential-provider-config.ts';

/** One run of a provider's program. */
export interface ProviderCommand {
  readonly name: string;
  readonly args: readonly string[];
  /** Added to the agent's own environment, which it overrides. */
  readonly env: readonly ProviderVariable[];
  /** May contain a token. */
  readonly stdin: string;
}

/** Result of a program. Both texts may contain secrets. */
export interface ProviderResult {
  /** `undefined` when it was killed by a signal. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  /** Beginning of standard error. */
  readonly stderr: string;
}

/** Runs the programs of credential providers. The machine's own: `createNodeProviderProcesses`. */
export interface ProviderProcesses {
  /**
   * Rejects when the program cannot be run, writes too much, or `signal` aborts; then it and its children are killed. Messages never quote its output.
   */
  run(command: ProviderCommand, signal: AbortSignal): Promise<ProviderResult>;
}
