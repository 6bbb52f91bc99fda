/** Fields of a package.json that install packages from tarballs. */
export interface TrialFields {
  readonly dependencies: Readonly<Record<string, string>>;
  /** Also for packages that others depend on, so that npm does not look for them in its registry. */
  readonly overrides: Readonly<Record<string, string>>;
}

/** Returns the fields that install the tarballs, whose paths are given by package name; a project may drop dependencies that it does not use. */
export function trialFields(tarballs: Readonly<Record<string, string>>): TrialFields {
  const urls = Object.fromEntries(Object.entries(tarballs).map(([name, path]) => [name, `file:${path}`]));
  // npm accepts an override of a direct dependency only when both are the same.
  return { dependencies: urls, overrides: urls };
}
