/** True if long tests are to play all of their largest sweeps, which takes hours; else each plays a part. */
export const isThorough: boolean = process.env['SHALLOT_THOROUGH'] === '1';
