/** True if long tests run their sweeps in full, which takes hours. Otherwise each runs only a part. */
export const isThorough: boolean = process.env['SHALLOT_THOROUGH'] === '1';
