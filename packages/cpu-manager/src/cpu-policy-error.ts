/** The static policy cannot work with its options, its reserved CPUs or its state. The agent must not start. */
export class CpuPolicyError extends Error {
  override readonly name = 'CpuPolicyError';
}

/** There are not enough CPUs for a container. */
export class NotEnoughCpusError extends Error {
  override readonly name = 'NotEnoughCpusError';
}
