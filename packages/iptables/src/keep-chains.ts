import { type Clock, errorMessage, type Logger, sleep } from '@rxlet/component-base';
import { type AddressFamily, CANARIES, chainRules } from './chain-rules.ts';
import type { PacketFilter } from './packet-filter.ts';

/** Ports of {@link keepChains}. */
export interface KeepChainsPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly filter: PacketFilter;
}

/** Period of the checks whether the tables were flushed, as in the kubelet. */
const CHECK_PERIOD_MS = 60_000;
/** A program that flushes the tables flushes one after the other: the rest follows within this time. */
const FLUSH_LIMIT_MS = 5000;
const FLUSH_CHECK_MS = 100;

/**
 * Makes the chains and rules of a family, and makes them again when the tables are flushed, until `signal` aborts. Without iptables it does nothing. After a failure at the
 * first time it ends, as in the kubelet. Never rejects.
 */
export async function keepChains(
  { clock, logger, filter }: KeepChainsPorts,
  family: AddressFamily,
  signal: AbortSignal,
): Promise<void> {
  const ensureAll = async (): Promise<boolean> => {
    try {
      for (const requirement of chainRules(family)) await filter.ensure(requirement, signal);
      return true;
    } catch (error) {
      if (!signal.aborted) logger.error('cannot make the iptables chains', { family, error: errorMessage(error) });
      return false;
    }
  };
  const ensureCanaries = async (): Promise<void> => {
    for (const canary of CANARIES) await filter.ensure(canary, signal);
  };
  const untilFlushed = async (): Promise<void> => {
    const [first, ...others] = CANARIES;
    do await sleep(clock, CHECK_PERIOD_MS, signal);
    while (await filter.hasChain(first, signal));
    const isLeft = async (): Promise<boolean> => {
      for (const canary of others) if (await filter.hasChain(canary, signal)) return true;
      return false;
    };
    for (let waitedMs = 0; waitedMs < FLUSH_LIMIT_MS && (await isLeft()); waitedMs += FLUSH_CHECK_MS)
      await sleep(clock, FLUSH_CHECK_MS, signal);
  };

  if (!(await filter.isUsable(signal).catch(() => false))) {
    if (!signal.aborted) logger.info('made no iptables chains: iptables does not work here', { family });
    return;
  }
  if (!(await ensureAll())) return;
  while (!signal.aborted) {
    try {
      await ensureCanaries();
      await untilFlushed();
      logger.info('the iptables chains are gone, and are made again', { family });
    } catch (error) {
      if (signal.aborted) return;
      logger.warn('cannot check the iptables chains, will be retried', { family, error: errorMessage(error) });
      await sleep(clock, CHECK_PERIOD_MS, signal).catch(() => undefined);
    }
    // Also after a failed check: the tables may have been flushed meanwhile.
    if (!signal.aborted) await ensureAll();
  }
}
