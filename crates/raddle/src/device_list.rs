//! Which devices are known? The verb `devices`.

use raddle_device::Device;
use raddle_policy::Resource;
use raddle_report::{Block, Column, Document, Table, json};
use raddle_study::devices;
use raddle_study::result::unit_of;

use crate::Console;
use crate::args::{Format, ShowArgs};
use crate::error::CliError;
use crate::units::{count, duration};

pub(crate) fn verb(args: &ShowArgs, format: Format, console: &mut Console) -> Result<(), CliError> {
    let text = match (&args.show, format) {
        (Some(name), _) => args.shown(show(&devices::named(name)?, format)?)?,
        (None, Format::Json) => json(&raddle_device::table()),
        (None, Format::Text) => list(console.stdout_colour),
    };
    console.print(&text)
}

fn show(device: &Device, format: Format) -> Result<String, CliError> {
    if format == Format::Json {
        return Ok(json(device));
    }
    let text = toml::to_string(device)
        .map_err(|error| CliError::Refused(format!("{} cannot be shown: {error}", device.id)))?;
    Ok(slices(device) + &text)
}

/// Returns lines of TOML comments about the time slices that the device's driver gives, for a
/// reader who writes a recipe. They are only comments since time slices are set in a recipe, not in
/// the file of a device.
fn slices(device: &Device) -> String {
    let Some(slices) = device.time_slices() else {
        return String::new();
    };
    let between = |[least, _, most]: [u64; 3]| match least == most {
        true => duration(least),
        false => format!("{} to {}", duration(least), duration(most)),
    };
    let (turn, switch) = (between(slices.turn_ns()), between(slices.switch_ns()));
    let source = slices.source();
    format!("# Time slices of the driver: a turn {turn}, a switch {switch}.\n# {source}\n")
}

fn list(colour: bool) -> String {
    let figures = ["CUs", "waves", "wave size", "VGPRs", "LDS", "workgroups", "barriers"];
    let columns = [Column::text("device"), Column::name("product", 40)];
    let columns = columns.into_iter().chain(figures.map(Column::figure));
    let mut table = Table::new("Devices", columns.collect::<Vec<_>>());
    for device in raddle_device::table() {
        let shape = device.shape;
        let (registers, _) = unit_of(&device, Resource::Vgpr);
        let (lds, _) = unit_of(&device, Resource::Lds);
        let vgprs = u64::from(shape.vgpr_per_simd) * u64::from(shape.simds) * registers;
        table.row([
            device.id,
            device.product,
            device.cus.to_string(),
            count(shape.waves().into()),
            device.wave_size.to_string(),
            count(vgprs),
            count(u64::from(shape.lds) * lds),
            shape.workgroups.to_string(),
            shape.barriers.to_string(),
        ]);
    }
    let mut document = Document::default();
    document.table(table);
    for note in [
        "Of one compute unit: waves of so many work-items, 32-bit vector registers, LDS in bytes.",
        "Replay on one: raddle replay PROFILE --device mi300x. All figures and their sources: raddle devices --show mi300x. One of your own: add --save mine.toml, change it, then --device mine.toml",
    ] {
        document.add(Block::Note(note.to_owned()));
    }
    document.text(colour)
}
