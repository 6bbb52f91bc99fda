import type { Chain, Requirement } from './chain-rules.ts';
import type { IptablesProgram } from './iptables-program.ts';

/** The kernel's packet filter for one family of addresses. Methods reject when the program fails. */
export interface PacketFilter {
  /** Reports whether iptables works here. */
  isUsable(signal: AbortSignal): Promise<boolean>;
  hasChain(chain: Chain, signal: AbortSignal): Promise<boolean>;
  /** Adds a chain or rule unless it exists. */
  ensure(requirement: Requirement, signal: AbortSignal): Promise<void>;
}

/** Seconds that the program waits for another one that changes the tables, as in the kubelet. */
const LOCK_WAIT_SECONDS = '5';
/** Exit code for something that does not exist, or exists already. Others are failures. */
const NOT_DONE = 1;

/** Creates a {@link PacketFilter}. */
export function createPacketFilter(run: IptablesProgram): PacketFilter {
  /** Runs an operation on a chain. @returns whether it succeeded; `false` only for an answer, not for a failure */
  const operate = async (
    operation: string,
    { table, chain }: Chain,
    rule: readonly string[],
    signal: AbortSignal,
  ): Promise<boolean> => {
    const args = ['-w', LOCK_WAIT_SECONDS, operation, chain, '-t', table, ...rule];
    const { exitCode, output } = await run(args, signal);
    if (exitCode === 0) return true;
    if (exitCode === NOT_DONE) return false;
    throw new Error(`iptables ${operation} ${chain} in ${table} ended with ${String(exitCode)}: ${output.trim()}`);
  };
  return {
    isUsable: (signal) =>
      operate('-S', { table: 'nat', chain: 'POSTROUTING' }, [], signal).catch((error: unknown) => {
        signal.throwIfAborted();
        if (error instanceof Error) return false;
        throw error;
      }),
    hasChain: (chain, signal) => operate('-S', chain, [], signal),
    async ensure(requirement, signal) {
      if (!('rule' in requirement)) {
        // A chain that exists already is not an error of a new one.
        if (await operate('-S', requirement, [], signal)) return;
        if (await operate('-N', requirement, [], signal)) return;
        throw new Error(`cannot create the chain ${requirement.chain} in ${requirement.table}`);
      }
      const { position, rule } = requirement;
      if (await operate('-C', requirement, rule, signal)) return;
      if (await operate(position === 'first' ? '-I' : '-A', requirement, rule, signal)) return;
      throw new Error(`cannot add a rule to the chain ${requirement.chain} in ${requirement.table}`);
    },
  };
}
