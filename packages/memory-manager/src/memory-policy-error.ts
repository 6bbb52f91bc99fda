/** The static policy cannot work with its reserved memory or its state. The agent must not start. */
export class MemoryPolicyError extends Error {
  override readonly name = 'MemoryPolicyError';
}
