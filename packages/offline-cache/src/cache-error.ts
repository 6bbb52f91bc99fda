/** A cache that must not be used: damaged, or that of another node. */
export class CacheError extends Error {
  override readonly name = 'CacheError';
}
