"""What tests in a browser share."""


def resize(driver, width, height):
    """The size of the page itself: windows cannot be as narrow as telephones."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
