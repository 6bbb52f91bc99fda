import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { ContractCase } from './contract-subject.ts';

/** A registry on which nothing listens. */
const NOWHERE = 'localhost:1/nothing:1';

/** Images, without a registry to pull from. */
export const imageCases: readonly ContractCase[] = [
  {
    name: 'finds an image by its tag and by its id',
    async check({ images, image: reference }) {
      const { image } = await images.imageStatus({ image: { image: reference } });
      assert(image !== undefined, 'ImageStatus has no image');
      assert(image.repoTags.includes(reference), image.repoTags.join(', '));
      assert(image.size > 0n);
      const byId = await images.imageStatus({ image: { image: image.id } });
      assert.deepEqual(byId.image, image);
    },
  },
  {
    name: 'adds information to the status of an image only on request',
    async check({ images, image }) {
      for (const verbose of [false, true]) {
        const { info } = await images.imageStatus({ image: { image }, verbose });
        assert.equal(Object.keys(info).length > 0, verbose);
      }
    },
  },
  {
    name: 'returns no image, and no error, for the status of one that is absent',
    async check({ images }) {
      assert.equal((await images.imageStatus({ image: { image: NOWHERE } })).image, undefined);
    },
  },
  {
    name: 'lists images; a filter never hides the image that it names',
    async check({ images, image: reference }) {
      const { image } = await images.imageStatus({ image: { image: reference } });
      const all = await images.listImages({});
      assert(all.images.some(({ id }) => id === image?.id));
      const one = await images.listImages({ filter: { image: { image: reference } } });
      // containerd 1.6 ignores the filter.
      assert(one.images.some(({ id }) => id === image?.id));
    },
  },
  {
    name: 'removes an image that is absent without an error',
    async check({ images }) {
      await images.removeImage({ image: { image: NOWHERE } });
    },
  },
  {
    name: 'rejects requests without an image, and references that are malformed',
    async check({ images }) {
      await assert.rejects(images.pullImage({ image: { image: 'not a reference' } }));
      await assert.rejects(images.pullImage({ image: { image: NOWHERE } }));
      await assert.rejects(images.pullImage({}));
    },
  },
  {
    name: 'reports the file system of its images, which exists',
    async check({ images }) {
      const { imageFilesystems } = await images.imageFsInfo({});
      assert(imageFilesystems.length > 0);
      for (const { fsId, timestamp, usedBytes, inodesUsed } of imageFilesystems) {
        assert.match(fsId?.mountpoint ?? '', /^\//);
        assert(existsSync(fsId!.mountpoint), `${fsId!.mountpoint} does not exist`);
        assert(timestamp > 0n);
        assert(usedBytes !== undefined && inodesUsed !== undefined);
      }
    },
  },
];
