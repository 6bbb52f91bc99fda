/** Effective feature gates. */
export interface FeatureGates {
  /** Reports whether a gate is enabled. @throws RangeError for a gate that does not exist */
  isEnabled(name: string): boolean;
}
