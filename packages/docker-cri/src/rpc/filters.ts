/** Reports whether an id matches that of a filter, which may be abbreviated or empty. */
export function hasId(id: string, wanted: string): boolean {
  return id.startsWith(wanted);
}

/** Reports whether labels match a selector: each of its labels must be present with that value. */
export function hasLabels(
  labels: Readonly<Record<string, string>>,
  selector: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}
