import { Signal } from '@rxlet/cri-api';

/** Returns the CRI signal of a container's `lifecycle.stopSignal`; the runtime's default for an absent or unknown name. */
export function stopSignal(name: string | undefined): Signal {
  // SIGRTMIN+1 and SIGRTMAX-1 in Kubernetes are SIGRTMINPLUS1 and SIGRTMAXMINUS1 in CRI.
  const criName = (name ?? '').replace('+', 'PLUS').replace('-', 'MINUS');
  return /^SIG[A-Z0-9]+$/.test(criName) ? (signals.get(criName) ?? Signal.RUNTIME_DEFAULT) : Signal.RUNTIME_DEFAULT;
}

const signals: ReadonlyMap<string, Signal> = new Map(
  Object.entries(Signal).filter((entry): entry is [string, Signal] => typeof entry[1] === 'number'),
);
