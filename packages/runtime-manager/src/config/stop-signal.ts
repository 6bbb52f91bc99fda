import { Signal } from '@rxlet/cri-api';

/** The signal of a pod's `lifecycle.stopSignal` as the runtime knows it. Names that are none, and no name, leave the choice to the runtime. */
export function stopSignal(name: string | undefined): Signal {
  // Kubernetes writes SIGRTMIN+1 and SIGRTMAX-1, where the CRI has SIGRTMINPLUS1 and SIGRTMAXMINUS1.
  const criName = (name ?? '').replace('+', 'PLUS').replace('-', 'MINUS');
  return /^SIG[A-Z0-9]+$/.test(criName) ? (signals.get(criName) ?? Signal.RUNTIME_DEFAULT) : Signal.RUNTIME_DEFAULT;
}

const signals: ReadonlyMap<string, Signal> = new Map(
  Object.entries(Signal).filter((entry): entry is [string, Signal] => typeof entry[1] === 'number'),
);
