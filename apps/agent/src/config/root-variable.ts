/** Environment variable that names the root directory where no flag does. */
export const ROOT_VARIABLE = 'RXLET_ROOT';

/** Returns the arguments of an agent with the root directory of the variable, unless they name one. */
export function withRoot(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const root = environment[ROOT_VARIABLE];
  const isGiven = args.some((arg) => arg === '--root-dir' || arg.startsWith('--root-dir='));
  return root && !isGiven ? [...args, `--root-dir=${root}`] : args;
}
