import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandResult, runShellLine } from './test-support/agent-process.ts';

const SHOP = join(import.meta.dirname, '../workloads/shop/shop.yaml');

let folder: string;
let root: string;
let file: string;
/** Runs a line of a shell, with the path of the shop. */
const run = (line: string): Promise<CommandResult> => runShellLine(line.replaceAll('shop.yaml', file), root);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rxlet-daily-'));
  root = join(folder, 'root');
  file = join(folder, 'shop.yaml');
  await cp(SHOP, file);
});
afterAll(async () => {
  // Ends the agent also when a test failed.
  await run('rxlet play shop.yaml --down');
  await rm(folder, { recursive: true, force: true });
}, 60_000);

describe('an operator', () => {
  const expectLine = async (line: string, exitCode: number, ...patterns: RegExp[]): Promise<CommandResult> => {
    const result = await run(line);
    const output = `${result.stdout}${result.stderr}`;
    expect(result.exitCode, `${line}\n${output}`).toBe(exitCode);
    for (const pattern of patterns) expect(output, line).toMatch(pattern);
    return result;
  };

  it('checks the machine', async () => {
    await expectLine('rxlet check --fake-runtime', 0, /^ok +runtime +\S+/m, /This machine is fit to be a node/);
    const missing = '--container-runtime-endpoint unix:///nonexistent.sock';
    await expectLine(
      `rxlet check ${missing}`,
      1,
      /^error +runtime +cannot connect to the container runtime at unix:\/\/\/nonexistent\.sock/m,
      /→ start the runtime/,
      /not fit to be a node yet \([1-9]/,
    );
    await expectLine(
      `rxlet --check ${missing}`,
      1,
      /^error +runtime/m,
      /^rxlet: This machine is not fit to be a node yet/m,
    );
  });

  it('learns what to do when no agent runs', async () => {
    await expectLine('rxlet get pods', 1, /no agent answers at .*: is rxlet running/);
    await expectLine('rxlet play shop.yaml', 2, /no agent runs.*--fake-runtime/);
    await expectLine('rxlet play shop.yaml --down', 1, /nothing of the file runs/);
  });

  it('plays a shop on an agent that is started for it', async () => {
    const { stdout, stderr } = await expectLine('rxlet play shop.yaml --fake-runtime --hostname-override node1', 0);
    expect(stderr).toMatch(/^started an agent with --fake-runtime --hostname-override node1 \(--root-dir /);
    expect(stderr).toMatch(/^secret default\/shop-database created$/m);
    expect(stdout).toMatch(
      /^NAMESPACE +NAME +READY +STATUS +RESTARTS +AGE +IP\ndefault +shop-node1 +2\/2 +Running +0 .*\n$/,
    );
    const [secret = ''] = (await readdir(join(root, 'play'))).filter((name) => name.includes('secret'));
    expect((await stat(join(root, 'play', secret))).mode & 0o777).toBe(0o600);
    await expectLine('rxlet play shop.yaml', 0, /2\/2 +Running/);
  });

  it('looks at it', async () => {
    await expectLine('rxlet get pods', 0, /^default +shop-\S+ +2\/2 +Running/m);
    await expectLine('rxlet describe pod shop', 0, /^Status: +Running$/m, /Normal +Started/);
    await expectLine('rxlet logs shop migrate', 0, /^migrated$/m);
    await expectLine('rxlet exec shop -- cat /run/secrets/database/username', 0, /^shop$/m);
    await expectLine('rxlet explain shop', 0, /^Pod default\/shop-\S+ (?:is|runs)/);
    await expectLine('rxlet get manifests', 0, /play_secret_default_shop-database.yaml +Accepted/);
  });

  it('breaks it, and learns why', async () => {
    const good = await readFile(file, 'utf8');
    await writeFile(file, good.replace('name: web\n', 'name: Not_A_Name\n'));
    await expectLine('rxlet play shop.yaml', 1, /pod default\/shop is already played, and differs: use --replace/);
    await expectLine(
      'rxlet play shop.yaml --replace',
      1,
      /pod default\/shop replaced/,
      /pod default\/shop does not run: .*spec\.containers\[0\]\.name/,
    );
    await expectLine('rxlet get pods', 0, /Running,InvalidManifest/);
    await expectLine('rxlet get manifests', 0, /play_pod_default_shop.yaml +Kept .*spec\.containers\[0\]\.name/);
    await writeFile(file, good.replace('status: 200', 'status: 500'));
    await expectLine('rxlet play shop.yaml --replace --timeout 5s', 1, /timed out waiting for pod default\/shop/);
    await expectLine('rxlet explain shop', 0, /container "web" .*startup probe/);
    await writeFile(file, good);
  });

  it('repairs it', async () => {
    await expectLine('rxlet play shop.yaml --replace', 0, /2\/2 +Running/);
    await expectLine('rxlet wait --for=condition=Ready pod/shop --timeout=5s', 0, /^pod\/shop-\S+ condition met$/m);
    await expectLine('rxlet restart shop -c web', 0, /container\/web restarts/);
    await expectLine('rxlet wait --for=condition=Ready pod/shop', 0);
  });

  describe('with lines that are usual with kubectl', () => {
    it.concurrent.each<[line: string, pattern: RegExp]>([
      ['rxlet get po', /^default +shop-/m],
      ['rxlet get pods -A -o wide', /IP +NODE/],
      ['rxlet get pod/shop -o yaml', /^kind: Pod$/m],
      ['rxlet get pods -o=name', /^pod\/shop-/],
      ['rxlet get pods -l app.kubernetes.io/name=shop --no-headers', /^default +shop-/],
      ['rxlet get pods --field-selector status.phase!=Running', /^No pods found\.$/m],
      ['rxlet get pods --sort-by=.metadata.name --show-labels', /component=web,app.kubernetes.io\/name=shop$/m],
      [`rxlet get pods -o jsonpath='{range .items[*]}{.metadata.name}{"\\n"}{end}'`, /^shop-\S+\n$/],
      ['rxlet get po -o custom-columns=NAME:.metadata.name,IP:.status.podIP', /^NAME +IP\nshop-\S+ +127\./],
      ['rxlet get events --field-selector involvedObject.kind=Pod', /Started +pod\/shop-/],
      ['rxlet get nodes', /Ready +<none> +\S+ +v1\.36/],
      ['rxlet describe po/shop', /^Name: +shop-/],
      ['rxlet describe node', /^Capacity:$/m],
      ['rxlet logs pod/shop web --tail=5 --timestamps', /^$/],
      ['rxlet logs -l app.kubernetes.io/component=web -c migrate --prefix', /^\[pod\/shop-\S+\/migrate\] migrated$/m],
      ['rxlet exec shop -c web -- sh -c "echo $((6*7))"', /^42$/m],
      ['rxlet top pods', /CPU\(cores\)/],
      ['rxlet version', /^Client Version: v\d.*\nNode: /],
      ['rxlet help get', /^Usage: rxlet get/],
      ['source <(rxlet completion bash); complete -p rxlet', /-F _rxlet rxlet$/m],
    ])('runs %s', async (line, pattern) => {
      const { stdout, stderr, exitCode } = await run(line);
      expect(exitCode, stderr).toBe(0);
      expect(`${stdout}${stderr}`).toMatch(pattern);
    });

    it.concurrent.each<[line: string, pattern: RegExp]>([
      ['rxlet apply -f shop.yaml', /use rxlet play FILE --replace/],
      ['rxlet delete pod shop', /use rxlet play FILE --down/],
      ['rxlet scale deployment/shop --replicas=2', /write a manifest for each further one/],
      ['rxlet rollout restart deployment shop', /use rxlet restart POD/],
      ['rxlet cordon node1', /use rxlet drain/],
      ['rxlet config use-context x', /RXLET_ROOT/],
      ['rxlet get deployments', /an agent has no "deployments"/],
      ['rxlet logs deployment/shop', /an agent has pods only, no "deployment"/],
      ['rxlet run web --image=nginx', /use rxlet play FILE/],
      ['rxlet exec shop date', /Use exec \[POD\] -- \[COMMAND\] instead/],
      ['rxlet get pods -o go-template={{.items}}', /use jsonpath or custom-columns/],
    ])('says what to use instead of %s', async (line, pattern) => {
      const { stderr, exitCode } = await run(line);
      expect(exitCode).toBeGreaterThan(0);
      expect(stderr).toMatch(pattern);
    });
  });

  it('removes it, with the agent', async () => {
    await expectLine('rxlet play shop.yaml --down', 0, /pod default\/shop removed/, /the agent .* has ended/);
    await expectLine('rxlet get pods', 1, /no agent answers/);
    expect(await readdir(join(root, 'play'))).toEqual([]);
  });
});
