/** Use of a pod, as `/stats/summary` has it. */
export interface PodUse {
  readonly podRef: { readonly uid: string };
  readonly containers?: readonly ContainerUse[] | null;
}

/** Use of a container. */
export interface ContainerUse {
  readonly name: string;
  readonly cpu?: { readonly usageNanoCores?: number };
  readonly memory?: { readonly workingSetBytes?: number };
}

const STEPS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Returns an amount of bytes: `16 MiB`, `1.4 GiB`. */
export function formatBytes(bytes: number | undefined): string {
  if (bytes === undefined) return '–';
  let amount = bytes;
  let step = 0;
  while (Math.abs(amount) >= 1024 && step < STEPS.length - 1) {
    amount /= 1024;
    step += 1;
  }
  return `${amount < 10 && step > 0 ? amount.toFixed(1) : String(Math.round(amount))} ${STEPS[step]!}`;
}

/** Returns thousandths of a CPU: `16m`, `1.25`. */
export function formatCpu(millis: number | undefined): string {
  if (millis === undefined) return '–';
  if (millis === 0) return '0';
  if (millis < 1000) return `${millis < 10 ? millis.toFixed(1) : String(Math.round(millis))}m`;
  return (millis / 1000).toFixed(2);
}
